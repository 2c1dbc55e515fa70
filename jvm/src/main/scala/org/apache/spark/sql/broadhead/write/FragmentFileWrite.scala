package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import io.broadhead.Settings

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, FragmentEncoder, Json}
import org.apache.spark.sql.broadhead.operators.{BroadheadHashAggregate, FragmentOperator}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * A write of Parquet files above the root of a fragment that has been encoded without it: the job
 * that writes its rows is found when the fragment's RDD is started.
 */
private[broadhead] class FragmentFileWrite(root: FragmentOperator) {
  val support = new ExpressionSupport(Capabilities.ofJar, new Settings(root.conf))
  private val encoder = new ExpressionEncoder(support)
  private val id = root.fragment.nodes.size

  /**
   * The fragment with the write; the other nodes keep their ids.
   *
   * @param columns the rows' columns, as they are written
   * @param written the ordinals of those that are in the file
   */
  def json(
      columns: Seq[Attribute],
      written: Seq[Int],
      settings: Seq[(String, JsonNode)],
      statistics: Seq[AggregateExpression]): Option[String] = {
    val fragment = Json.parse(root.fragment.json).asInstanceOf[ObjectNode]
    val own = Seq(
      "op" -> Json.text("FileWrite"),
      "id" -> Json.number(id.toLong),
      "output" -> Json.array(columns.map(FragmentEncoder.encodeAttribute)),
      "format" -> Json.text(ParquetWriteFormat.name),
      "options" -> Json.obj(settings: _*),
      "dataColumns" -> Json.array(written.map(n => Json.number(n.toLong))),
      "partitionColumns" -> Json.array(Nil),
      "maxRecords" -> Json.number(0L),
      "statistics" -> aggregates(statistics),
      "children" -> Json.array(Seq(fragment.get("root"))))
    fragment.set[JsonNode]("root", Json.obj(own: _*))
    // The fragment's header has no others than its own.
    Option.when(encoder.evaluations.isEmpty && encoder.timeZones.isEmpty)(Json.write(fragment))
  }

  private def aggregates(calls: Seq[AggregateExpression]): JsonNode = {
    val node = BroadheadHashAggregate(
      None,
      isStreaming = false,
      None,
      Nil,
      calls,
      calls.map(_.resultAttribute),
      0,
      Nil,
      root)
    node.encodeFields(encoder).toMap.apply("aggregates")
  }

  /** The metrics of the fragment, whose root is another node now. */
  def metrics: Map[String, SQLMetric] = {
    val ofRoot = root.engineMetrics.keySet.map(name => s"0.$name")
    val all = root.fragment.metrics
    all ++ all.collect {
      case (name, metric) if name.startsWith("0.") && !ofRoot(name) =>
        s"$id.${name.stripPrefix("0.")}" -> metric
    }
  }
}
