package org.apache.spark.sql.broadhead.explanation

import org.apache.spark.sql.broadhead.planning.BroadheadExplain
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * The table function `broadhead_explain('name')`: what `BroadheadExplain` says of the table or view
 * of that name, as JSON in one row. Clients of Spark Connect get no plan of the server but as text.
 */
object ExplainFunction {
  private val Name = "broadhead_explain"

  def addTo(extensions: SparkSessionExtensions): Unit = {
    val info = new ExpressionInfo(getClass.getName, Name)
    extensions.injectTableFunction((FunctionIdentifier(Name), info, build))
  }

  private def build(arguments: Seq[Expression]): LogicalPlan = arguments match {
    case Seq(Literal(name: UTF8String, _)) =>
      val session = CompiledSpark.activeSession
      val query = session.table(name.toString).queryExecution.analyzed
      val plan = session.sessionState.executePlan(query).executedPlan
      LocalRelation(
        Seq(AttributeReference("explanation", StringType, nullable = false)()),
        Seq(InternalRow(UTF8String.fromString(BroadheadExplain.json(plan)))))
    case _ =>
      throw new IllegalArgumentException(
        s"$Name takes the name of a table or view as a string, not " +
          arguments.map(_.sql).mkString("(", ", ", ")"))
  }
}
