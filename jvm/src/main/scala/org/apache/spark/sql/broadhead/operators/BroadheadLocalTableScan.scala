package org.apache.spark.sql.broadhead.operators

import java.util.Base64

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame, RowBatches}
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{BroadheadRowSource, FragmentOperator, OperatorCase, PartitionedLeaf}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution._

/** Spark's `LocalTableScanExec` in the engine: the rows are sent with the plan. */
case class BroadheadLocalTableScan(planned: LocalTableScanExec)
    extends LeafExecNode
    with FragmentOperator
    with PartitionedLeaf {

  override def operatorName: String = "LocalTable"

  override def keepsOrder: Boolean = true

  override def original: LocalTableScanExec = planned

  override def output: Seq[Attribute] = planned.output

  override def partitionCount: Int =
    math.min(planned.rows.length, session.leafNodeDefaultParallelism)

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "data" -> Json.text(Base64.getEncoder.encodeToString(message)),
    "slices" -> Json.number(math.max(1, partitionCount).toLong))

  /** All rows as one Arrow message. */
  private def message: Array[Byte] = {
    val allocator = ArrowLayout.newAllocator("local table")
    val schema = DataTypeUtils.fromAttributes(output)
    val batches =
      new RowBatches(planned.rows.iterator, schema, LocalTableScanCase.MaxRows, allocator)
    try Frame.message(batches.next())
    finally {
      batches.close()
      ArrowLayout.close(allocator)
    }
  }

  protected override def doCanonicalize(): SparkPlan =
    BroadheadLocalTableScan(planned.canonicalized.asInstanceOf[LocalTableScanExec])

  override def simpleString(maxFields: Int): String =
    nodeName + planned.simpleString(maxFields).stripPrefix("LocalTableScan")

  override def verboseStringWithOperatorId(): String = describeAs(original)
}

private[broadhead] object LocalTableScanCase extends OperatorCase[LocalTableScanExec] {
  val MaxRows = 1000
  private val MaxBytes = 64L << 10

  /** Spark sends so many rows to its tasks in more time than a fragment takes. */
  private val ManyRows = 10000

  override def name: String = "LocalTableScan"

  override def isLight(plan: LocalTableScanExec): Boolean = true

  override def holdsRows: Boolean = true

  override def holdsManyRows(table: LocalTableScanExec): Boolean = table.rows.length > ManyRows

  override def reasons(table: LocalTableScanExec, support: ExpressionSupport): Seq[String] =
    table.output.flatMap(support.columnReasons)

  /** Whether it is too large for all tasks to receive it with their plan. */
  private def isLarge(table: LocalTableScanExec): Boolean =
    table.rows.length > MaxRows || {
      val projection = UnsafeProjection.create(table.output, table.output)
      table.rows.iterator.map(projection(_).getSizeInBytes.toLong).sum > MaxBytes
    }

  override def convert(table: LocalTableScanExec, children: Seq[SparkPlan]): SparkPlan =
    if (isLarge(table)) BroadheadRowSource(BroadheadLocalTableColumns(table))
    else BroadheadLocalTableScan(table)
}

/** The row without columns below a SELECT without FROM: a local table. */
private[broadhead] object OneRowRelationCase extends OperatorCase[SparkPlan] {
  override def name: String = "OneRowRelation"

  override def holdsRows: Boolean = true

  /** Spark 4.0 has no class for it. */
  def is(plan: SparkPlan): Boolean = plan match {
    case scan: RDDScanExec => scan.name == name && scan.output.isEmpty
    case other => other.getClass.getSimpleName == "OneRowRelationExec"
  }

  override def reasons(row: SparkPlan, support: ExpressionSupport): Seq[String] = Nil

  override def convert(row: SparkPlan, children: Seq[SparkPlan]): SparkPlan =
    BroadheadLocalTableScan(
      VersionedSpark
        .make[LocalTableScanExec](LocalTableScanExec, Nil, Seq(InternalRow.empty), None))
}
