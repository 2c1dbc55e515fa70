package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import io.broadhead.Settings

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.evaluation.SparkEvaluation
import org.apache.spark.sql.broadhead.execution.FragmentProgram
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator}
import org.apache.spark.sql.broadhead.operators.{BroadheadHashAggregate, BroadheadProject, BroadheadSort}
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.expressions.{Alias, Ascending, Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The files of a write above the root of a fragment.
 *
 * @param written the ordinals of the columns that are in the files: the root's, and after them
 *   the partitions
 * @param columns these columns, as they are written
 * @param settings those of the format
 * @param partitions over the root's columns: a file has the rows that are equal in them
 * @param isSorted whether the rows of a file already follow each other
 * @param first the ordinals of such columns whose values in a file's first row are sent
 * @param nans the ordinals of the root's columns whose NaN are counted for each file
 * @param targetBytes the size at which a file ends, 0 for any size
 * @param statistics aggregates of each file, of which each partition has one then
 */
private[broadhead] case class FileLayout(
    written: Seq[Int],
    columns: Seq[Attribute],
    settings: Seq[(String, JsonNode)],
    partitions: Seq[Expression] = Nil,
    isSorted: Boolean = true,
    first: Seq[Int] = Nil,
    nans: Seq[Int] = Nil,
    targetBytes: Long = 0,
    statistics: Seq[AggregateExpression] = Nil)

/**
 * What a write changes in the program of a fragment.
 *
 * @param json the fragment with the write above its root
 * @param evaluations the expressions of the write that Spark evaluates
 */
private[broadhead] case class EncodedWrite(
    json: String,
    evaluations: IndexedSeq[SparkEvaluation],
    metrics: Map[String, SQLMetric]) {

  def program(fragment: FragmentProgram): FragmentProgram = fragment.copy(
    fragment = json,
    evaluations = fragment.evaluations ++ evaluations,
    metrics = metrics)
}

/**
 * A write of Parquet files above the root of a fragment that has been encoded without it: the job
 * that writes its rows is found when the fragment's RDD is started.
 */
private[broadhead] class FragmentFileWrite(root: FragmentOperator) {
  val support = new ExpressionSupport(Capabilities.ofJar, new Settings(root.conf))
  private val encoder = new ExpressionEncoder(support, root.fragment.evaluations.length)

  /** The first id that no node of the fragment has. */
  private val id = root.fragment.nodes.size.toLong

  /** The fragment with the write, whose other nodes keep their ids. */
  def encoded(layout: FileLayout): Option[EncodedWrite] = {
    val fragment = Json.parse(root.fragment.json).asInstanceOf[ObjectNode]
    val keys = layout.partitions.map(key => Alias(key, "partition")())
    val rows = written(layout, root.output ++ keys.map(_.toAttribute))
    val child = below(layout, keys, fragment.get("root"))
    val own = Seq(
      "op" -> Json.text("FileWrite"),
      "id" -> Json.number(id),
      "output" -> Json.array(rows.map(FragmentEncoder.encodeAttribute)),
      "format" -> Json.text(ParquetWriteFormat.name),
      "options" -> Json.obj(layout.settings: _*),
      "dataColumns" -> ordinals(layout.written),
      "partitionColumns" -> ordinals(keys.indices.map(root.output.length + _)),
      "firstColumns" -> ordinals(layout.first),
      "nanColumns" -> ordinals(layout.nans),
      "maxRecords" -> Json.number(0L),
      "targetBytes" -> Json.number(layout.targetBytes),
      "statistics" -> aggregates(layout.statistics),
      "children" -> Json.array(Seq(child)))
    fragment.set[JsonNode]("root", Json.obj(own: _*))
    // The fragment's header has no time zones but its own.
    Optional.when(encoder.timeZones.isEmpty)(
      EncodedWrite(Json.write(fragment), encoder.evaluations, metrics))
  }

  /** The rows with their partitions, by which they follow each other. */
  private def below(layout: FileLayout, keys: Seq[Alias], rows: JsonNode): JsonNode =
    if (keys.isEmpty) rows
    else {
      val project = BroadheadProject(root.output ++ keys, root)
      val projected = node(project, rows, id + 1)
      val order = keys.map(key => SortOrder(key.toAttribute, Ascending))
      if (layout.isSorted) projected
      else node(BroadheadSort(order, global = false, None, project), projected, id + 2)
    }

  private def node(operator: FragmentOperator, child: JsonNode, id: Long): JsonNode = {
    val own = Seq(
      "op" -> Json.text(operator.operatorName),
      "id" -> Json.number(id),
      "output" -> Json.array(operator.output.map(FragmentEncoder.encodeAttribute)))
    Json.obj(
      (own ++ operator.encodeFields(encoder) :+
        ("children" -> Json.array(Seq(child)))): _*)
  }

  /** The columns, of which some are written with the names and nulls of the table. */
  private def written(layout: FileLayout, columns: Seq[Attribute]): Seq[Attribute] =
    columns.indices.map { ordinal =>
      val position = layout.written.indexOf(ordinal)
      if (position < 0) columns(ordinal) else layout.columns(position)
    }

  private def ordinals(columns: Seq[Int]): JsonNode =
    Json.array(columns.map(n => Json.number(n.toLong)))

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
  private def metrics: Map[String, SQLMetric] = {
    val ofRoot = root.engineMetrics.keySet.map(name => s"0.$name")
    val all = root.fragment.metrics
    all ++ all.collect {
      case (name, metric) if name.startsWith("0.") && !ofRoot(name) =>
        s"$id.${name.stripPrefix("0.")}" -> metric
    }
  }
}
