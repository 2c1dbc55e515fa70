package org.apache.spark.sql.broadhead.explanation

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan, SparkStrategy, SQLExecution}
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * The table function `broadhead_profile('name')`: runs the table or view of that name, and
 * returns what `BroadheadProfile` tells of it, in one row. Clients of Spark Connect have no other way to
 * the server's metrics.
 */
object ProfileFunction {
  private val Name = "broadhead_profile"

  def addTo(extensions: SparkSessionExtensions): Unit = {
    val info = new ExpressionInfo(getClass.getName, Name)
    extensions.injectTableFunction((FunctionIdentifier(Name), info, build))
    extensions.injectPlannerStrategy(_ => ProfileStrategy)
  }

  private def build(arguments: Seq[Expression]): LogicalPlan = arguments match {
    case Seq(Literal(name: UTF8String, _)) =>
      val query = CompiledSpark.activeSession.table(name.toString).queryExecution.analyzed
      ProfileQuery(query, Seq(AttributeReference("profile", StringType, nullable = false)()))
    case _ =>
      throw new IllegalArgumentException(
        s"$Name takes the name of a table or view as a string, not " +
          arguments.map(_.sql).mkString("(", ", ", ")"))
  }
}

/** A row with the profile of a query, which is no child: it is planned and run by itself. */
private case class ProfileQuery(query: LogicalPlan, override val output: Seq[Attribute])
    extends LeafNode {

  override def computeStats(): Statistics = Statistics(sizeInBytes = 1)
}

private object ProfileStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case profile: ProfileQuery => Seq(ProfileQueryExec(profile.query, profile.output))
    case _ => Nil
  }
}

private case class ProfileQueryExec(
    @transient query: LogicalPlan,
    override val output: Seq[Attribute])
    extends LeafExecNode {

  private lazy val profile: InternalRow =
    InternalRow(UTF8String.fromString(outsideOfExecution {
      BroadheadProfile.run(session.sessionState.executePlan(query))
    }))

  override protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(Seq(profile), 1)

  /** The query is one of its own, whose explanation waits for the answers about its functions. */
  private def outsideOfExecution[T](body: => T): T = {
    val key = SQLExecution.EXECUTION_ID_KEY
    val execution = sparkContext.getLocalProperty(key)
    sparkContext.setLocalProperty(key, null)
    try body
    finally sparkContext.setLocalProperty(key, execution)
  }
}
