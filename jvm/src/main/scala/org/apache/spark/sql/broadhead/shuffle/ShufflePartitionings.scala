package org.apache.spark.sql.broadhead.shuffle

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.internal.config
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO
import org.apache.spark.shuffle.sort.SortShuffleManager
import org.apache.spark.{SPARK_VERSION_SHORT, SparkConf, SparkEnv}
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, LiteralValues, Reasons, SortOrders, TypeNames}
import org.apache.spark.sql.broadhead.versions.{Optional, VersionedSpark}
import org.apache.spark.sql.catalyst.expressions.{AttributeSeq, SortOrder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.Utils

/** The partitionings of shuffles. */
private[broadhead] object ShufflePartitionings {

  /** Why the engine cannot partition rows in this way. */
  def reasons(partitioning: Partitioning, support: ExpressionSupport): Seq[String] =
    partitioning match {
      case SinglePartition | _: RoundRobinPartitioning => Nil
      case HashPartitioning(expressions, _) =>
        expressions.flatMap { expression =>
          if (TypeNames.holdsMap(expression.dataType)) {
            Seq(s"hash partitioning by type ${expression.dataType.simpleString} is not supported")
          } else if (hashesOtherwise(expression.dataType)) {
            Seq(
              s"hash partitioning by type ${expression.dataType.simpleString} is not supported " +
                s"with Spark $SPARK_VERSION_SHORT")
          } else {
            support.reasons(expression)
          }
        }
      case RangePartitioning(ordering, _) => ordering.flatMap(SortOrders.reasons(_, support))
      case other => Seq(s"partitioning ${other.getClass.getSimpleName} is not supported")
    }

  /** Whether Spark partitions strings of a type by other bytes than their keys, like 4.0.0. */
  private def hashesOtherwise(dataType: DataType): Boolean =
    TypeNames.equalsByKeys(dataType) && !VersionedSpark.hashesCollationKeys

  /** Whether the partitioning is round robin, independent of the rows' values. */
  def isInTurn(partitioning: Partitioning): Boolean = partitioning match {
    case RoundRobinPartitioning(count) => count > 1
    case _ => false
  }

  /** Whether bounds determine the partition of a row. */
  def hasBounds(partitioning: Partitioning): Boolean = partitioning match {
    case RangePartitioning(_, count) => count > 1
    case _ => false
  }

  def encode(exchange: BroadheadShuffleExchange, encoder: ExpressionEncoder): ObjectNode = {
    val input: AttributeSeq = exchange.child.output
    def of(kind: String, fields: (String, JsonNode)*): ObjectNode = {
      val count = Json.number(exchange.numPartitions.toLong)
      Json.obj(Seq("kind" -> Json.text(kind), "partitions" -> count) ++ fields: _*)
    }
    exchange.outputPartitioning match {
      case HashPartitioning(expressions, _) =>
        of("hash", "expressions" -> Json.array(expressions.map(encoder.encode(_, input))))
      case _: RoundRobinPartitioning => of("roundRobin")
      case partitioning @ RangePartitioning(ordering, _) if hasBounds(partitioning) =>
        of(
          "range",
          "order" -> SortOrders.encode(ordering, encoder, input),
          "bounds" -> Json.array(exchange.rangeBounds.flatMap(encodeBound(_, ordering))))
      case _ => of("single")
    }
  }

  /** The values of a bound, unless one of them has no encoding in JSON. */
  def encodeBound(bound: InternalRow, ordering: Seq[SortOrder]): Option[JsonNode] = {
    val values = ordering.zipWithIndex.map { case (order, ordinal) =>
      val value = if (bound.isNullAt(ordinal)) null else bound.get(ordinal, order.dataType)
      LiteralValues.encode(value, order.dataType)
    }
    Optional.when(values.forall(_.isDefined))(Json.array(values.flatten))
  }
}

/** The support of files written by the engine in this application's shuffle. */
private[broadhead] object ShuffleSupport {

  /** Why it is not supported; the same for every exchange. */
  def reasons: Seq[String] = {
    val environment = SparkEnv.get
    val manager = environment.shuffleManager.getClass
    Reasons.when(manager != classOf[SortShuffleManager])(
      s"shuffle manager ${manager.getName} is not supported") ++ ofConf(environment.conf)
  }

  private def ofConf(conf: SparkConf): Seq[String] =
    Reasons.when(conf.get(config.IO_ENCRYPTION_ENABLED))(
      "spark.io.encryption.enabled = true is not supported") ++
      Reasons.when(
        Utils.isPushBasedShuffleEnabled(conf, isDriver = true, checkSerializer = false))(
        "push-based shuffle is not supported, set spark.shuffle.push.enabled = false") ++
      Reasons.when(conf.get(config.SHUFFLE_USE_OLD_FETCH_PROTOCOL))(
        "spark.shuffle.useOldFetchProtocol = true is not supported") ++
      Reasons.when(
        conf.get(config.SHUFFLE_IO_PLUGIN_CLASS) != classOf[LocalDiskShuffleDataIO].getName)(
        s"${config.SHUFFLE_IO_PLUGIN_CLASS.key} = ${conf.get(config.SHUFFLE_IO_PLUGIN_CLASS)} " +
          "is not supported")
}
