package org.apache.spark.sql.broadhead.scan.iceberg

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Base64

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{Json, LiteralValues}
import org.apache.spark.sql.broadhead.scan.SplitFields
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.{DataType, DoubleType, LongType}

/**
 * The values of partitions, and the deleted rows, of the splits of an Iceberg table.
 *
 * @param columns field id, name and type of each column of the scan
 */
private[iceberg] case class IcebergSplitFields(columns: Seq[(Int, String, DataType)])
    extends SplitFields {
  import IcebergSplitFields._

  /** If Iceberg cannot read the deletes, its own reader says why: Spark's operators run it. */
  override def encode(file: PartitionedFile): Seq[(String, JsonNode)] =
    Seq("partitionValues" -> Json.array(Nil)) ++
      (try {
        val found = file.otherConstantMetadataColumnValues
        val partition = found(PartitionKey).asInstanceOf[InputPartition]
        val task = found(TaskKey).asInstanceOf[AnyRef]
        val library = IcebergLibrary.of(task).get
        Seq(
          "isFiltered" -> Json.bool(!library.wantsAllRows(task)),
          "constants" -> Json.obj(constants(library, partition, task): _*),
          "deletedRows" -> library
            .deletedPositions(partition, task)
            .map(encodePositions)
            .getOrElse(Json.Null))
      } catch {
        case NonFatal(error) => Seq("limit" -> Json.text(error.toString))
      })

  private def constants(
      library: IcebergLibrary,
      partition: InputPartition,
      task: AnyRef): Seq[(String, JsonNode)] = {
    val wholePartition = columns.exists(_._1 == IcebergColumns.Partition)
    val values = library.constantsOf(partition, task, wholePartition)
    // a file without row ids is older than they are, and Iceberg gives none of its changes
    def isKnown(id: Int): Boolean =
      values.contains(id) &&
        (id != IcebergColumns.SequenceNumber || values.contains(IcebergColumns.RowId))
    columns.collect {
      case (id, name, dataType) if isKnown(id) =>
        val encoded = LiteralValues.encode(widened(values(id), dataType), dataType)
        name -> encoded.getOrElse(
          throw new IllegalStateException(s"a value of column $name cannot be encoded as JSON"))
    }
  }
}

private[iceberg] object IcebergSplitFields {
  val TaskKey = "task"
  val PartitionKey = "partition"

  /** A partition may be older than the last change of its column's type. */
  private def widened(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (number: Int, LongType) => number.toLong
    case (number: Float, DoubleType) => number.toDouble
    case _ => value
  }

  private def encodePositions(positions: Array[Long]): JsonNode = {
    val bytes =
      ByteBuffer.allocate(positions.length * java.lang.Long.BYTES).order(ByteOrder.LITTLE_ENDIAN)
    bytes.asLongBuffer().put(positions)
    Json.text(Base64.getEncoder.encodeToString(bytes.array()))
  }
}
