package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions._

/**
 * The Bloom filters that Spark adds below a join so that fewer rows reach it.
 *
 * Each row that they drop would have no match, so the result is the same without them. In the
 * engine, whose joins and shuffles are fast, they cost more than they save: the small side of the
 * join has to run for them before anything else can start.
 */
private[broadhead] object RuntimeBloomFilters extends PredicateHelper {

  /** Only the optimizer creates the expression: SQL has no name for it. */
  def isOne(condition: Expression): Boolean = condition match {
    case BloomFilterMightContain(filter, _) => ExpressionEncoder.isSubqueryValue(filter)
    case _ => false
  }

  /** The condition without Bloom filters. */
  def leaveOut(condition: Expression): Expression = {
    val (bloom, rest) = splitConjunctivePredicates(condition).partition(isOne)
    if (bloom.isEmpty) condition
    else rest.reduceLeftOption(And(_, _)).getOrElse(Literal.TrueLiteral)
  }
}
