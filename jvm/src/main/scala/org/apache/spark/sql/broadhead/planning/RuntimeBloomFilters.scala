package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions._

/**
 * The bloom filters that Spark puts below a join so that fewer rows reach it.
 *
 * Every row that they drop would find no partner, so without them the result is the same. They
 * cost the engine, whose joins and shuffles are cheap, more than they save: the small side of the
 * join has to be run for them before anything else can start.
 */
private[broadhead] object RuntimeBloomFilters extends PredicateHelper {

  /** Only the optimizer makes the expression: SQL has no name for it. */
  def isOne(condition: Expression): Boolean = condition match {
    case BloomFilterMightContain(filter, _) => ExpressionEncoder.isSubqueryValue(filter)
    case _ => false
  }

  /** The rest of a condition. */
  def leaveOut(condition: Expression): Expression = {
    val (bloom, rest) = splitConjunctivePredicates(condition).partition(isOne)
    if (bloom.isEmpty) condition
    else rest.reduceLeftOption(And(_, _)).getOrElse(Literal.TrueLiteral)
  }
}
