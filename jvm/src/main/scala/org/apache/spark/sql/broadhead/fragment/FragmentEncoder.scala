package org.apache.spark.sql.broadhead.fragment

import com.fasterxml.jackson.databind.node.ObjectNode
import io.broadhead.Settings

import org.apache.spark.internal.config.IO_ENCRYPTION_ENABLED
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, Json, TimeZoneRules}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.SparkEnv

/** Writes a fragment in the wire format. */
private[broadhead] object FragmentEncoder {

  /** The fragment with the given root. */
  def encode(root: FragmentNode): EncodedFragment = {
    val nodes = preOrder(root)
    nodes.foreach(_.awaitSubqueries())
    val encoder =
      new ExpressionEncoder(new ExpressionSupport(Capabilities.ofJar, new Settings(root.conf)))
    val tree = new TreeEncoder(encoder).encode(root)
    EncodedFragment(
      json = Json.write(header(root.conf, encoder, tree)),
      root = root,
      nodes = nodes,
      evaluations = encoder.evaluations,
      metrics = metrics(root, nodes) ++ counters(encoder))
  }

  /** The operators of Spark for the plan below one of Broadhead's. */
  def originalOf(plan: SparkPlan): SparkPlan = plan match {
    case node: FragmentNode => node.original
    case other => other
  }

  /** The nodes of a fragment; a node's id is its position. */
  private def preOrder(node: FragmentNode): Seq[FragmentNode] =
    node +: childrenOf(node).flatMap(preOrder)

  /** The nodes below one in its fragment. */
  def childrenOf(node: FragmentNode): Seq[FragmentNode] = node match {
    case _: FragmentSource => Nil
    case operator =>
      operator.engineChildren.map {
        case child: FragmentNode => child
        case other =>
          throw new IllegalStateException(
            s"the child ${other.nodeName} of ${operator.nodeName} is not part of a fragment")
      }
  }

  private def header(conf: SQLConf, encoder: ExpressionEncoder, tree: ObjectNode): ObjectNode =
    Json.obj(
      "version" -> Json.text(Capabilities.ofJar.version),
      "settings" -> encodeSettings(conf),
      "zones" -> TimeZoneRules.encode(encoder.timeZones),
      "root" -> tree)

  private def encodeSettings(conf: SQLConf): ObjectNode = {
    val settings = new Settings(conf)
    Json.obj(
      "device" -> Json.text(settings.device),
      "ansi" -> Json.bool(conf.ansiEnabled),
      "timeZone" -> Json.text(conf.sessionLocalTimeZone),
      "caseSensitive" -> Json.bool(conf.caseSensitiveAnalysis),
      "exact" -> Json.bool(settings.exact),
      "batchRows" -> Json.number(settings.batchRows.toLong),
      "operatorMemory" -> Json.number(settings.operatorMemory.getOrElse(Settings.OperatorBytes)),
      "operatorsLimited" -> Json.bool(settings.operatorMemory.isDefined),
      "gpuConcurrentTasks" -> Json.number(settings.gpuConcurrentTasks),
      "gpuStreams" -> Json.number(settings.gpuStreams),
      "gpuMemoryFraction" -> Json.fraction(settings.gpuMemoryFraction),
      "pythonTrace" -> Json.bool(settings.pythonTrace),
      "pythonAccelerate" -> Json.text(settings.pythonAccelerate),
      "encrypted" -> Json.bool(SparkEnv.get.conf.get(IO_ENCRYPTION_ENABLED)))
  }

  private def metrics(root: FragmentNode, nodes: Seq[FragmentNode]): Map[String, SQLMetric] = {
    val ofNodes = nodes.zipWithIndex.flatMap { case (node, id) =>
      node.engineMetrics.map { case (name, metric) => s"$id.$name" -> metric }
    }
    val ofFragment = root match {
      case operator: FragmentOperator =>
        operator.fragmentMetrics.map { case (name, metric) => s"0.$name" -> metric }
      case _ => Map.empty
    }
    ofNodes.toMap ++ ofFragment
  }

  private def counters(encoder: ExpressionEncoder): Map[String, SQLMetric] =
    encoder.counters.zipWithIndex.map { case (metric, number) =>
      s"0.counter$number" -> metric
    }.toMap

  /** Numbers nodes and sources while it traverses, in the order of [[preOrder]]. */
  private class TreeEncoder(encoder: ExpressionEncoder) {
    private var nodeCount = 0L
    private var sourceCount = 0L

    def encode(node: FragmentNode): ObjectNode = {
      val id = nodeCount
      nodeCount += 1
      val own = Seq(
        "op" -> Json.text(node.operatorName),
        "id" -> Json.number(id),
        "output" -> Json.array(node.output.map(encodeAttribute)))
      val source = node match {
        case _: FragmentSource =>
          sourceCount += 1
          Seq("source" -> Json.number(sourceCount - 1))
        case _ => Nil
      }
      val children = Json.array(childrenOf(node).map(encode))
      Json.obj((own ++ source ++ node.encodeFields(encoder) :+ ("children" -> children)): _*)
    }

  }

  /** A column of a node's output. */
  def encodeAttribute(attribute: Attribute): ObjectNode = Json.obj(
    "name" -> Json.text(attribute.name),
    "type" -> Json.dataType(attribute.dataType),
    "nullable" -> Json.bool(attribute.nullable))
}
