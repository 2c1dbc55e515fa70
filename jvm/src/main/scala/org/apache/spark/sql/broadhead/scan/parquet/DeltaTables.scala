package org.apache.spark.sql.broadhead.scan.parquet

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Base64
import java.util.zip.DeflaterOutputStream

import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import org.apache.hadoop.fs.Path

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.encoding.{Json, Reasons}
import org.apache.spark.sql.broadhead.scan.{DeletionVectors, RemoteFiles}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.{SerializableConfiguration, Utils}

/**
 * Tables of Delta Lake, whose format is a subclass of Spark's Parquet.
 *
 * Its reader is Spark's own, with two additions. It reads columns by other names if the table maps
 * its columns. And it fills an internal column, by which a filter above the scan drops the rows
 * that a deletion vector marks. The files themselves are chosen at planning, like partitions.
 *
 * Delta Lake is not on the class path of a build, so its classes are known by their names.
 */
private[broadhead] object DeltaTables {
  private val FormatClass = "org.apache.spark.sql.delta.DeltaParquetFileFormat"
  private val InternalPrefix = "__delta_internal_"
  private val RowDeleted = s"${InternalPrefix}is_row_deleted"

  def isFormat(format: FileFormat): Boolean = format.getClass.getName == FormatClass

  /** Columns that the reader fills, with their kinds in the wire format. */
  def generatedKinds(format: FileFormat): Seq[(String, String)] =
    if (isFormat(format)) Seq(RowDeleted -> "rowDeleted") else Nil

  /** The columns as the files have them. */
  def storedSchema(scan: FileSourceScanExec): StructType = {
    val format = scan.relation.fileFormat
    format.getClass
      .getMethod("prepareSchemaForRead", classOf[StructType])
      .invoke(format, scan.requiredSchema)
      .asInstanceOf[StructType]
  }

  /** Why the engine does not give the rows of the format's reader. */
  def reasons(scan: FileSourceScanExec): Seq[String] = {
    val format = scan.relation.fileFormat
    if (!isFormat(format)) Nil
    else {
      val internal = scan.requiredSchema.fieldNames.filter(_.startsWith(InternalPrefix))
      Reasons.when(Try(storedSchema(scan)).isFailure || tablePath(format).isEmpty)(
        "this version of Delta Lake is not supported") ++
        Reasons.when(internal.exists(_ != RowDeleted) || internal.nonEmpty && !usesRowIndex(
          format))("Delta Lake: row positions that are not Spark's " +
          "(spark.databricks.delta.deletionVectors.useMetadataRowIndex = false) are not supported")
    }
  }

  /** The vectors of the scan's files, if one of its columns tells which rows are deleted. */
  def deletionVectors(scan: FileSourceScanExec): Option[DeletionVectors] =
    if (isFormat(scan.relation.fileFormat) &&
      scan.requiredSchema.fieldNames.contains(RowDeleted)) {
      val table = tablePath(scan.relation.fileFormat).flatten
      Some(new DeltaDeletionVectors(table, RemoteFiles.access(scan)))
    } else None

  /** The path of the table, if files may have vectors; none if the format has no such field. */
  private def tablePath(format: FileFormat): Option[Option[String]] =
    field(format, "tablePath").map(_.asInstanceOf[Option[String]])

  private def usesRowIndex(format: FileFormat): Boolean =
    field(format, "optimizationsEnabled").contains(true)

  private def field(of: Any, name: String): Option[Any] =
    Try(of.getClass.getMethod(name).invoke(of)).toOption
}

/** Loads vectors with Delta Lake's own code. */
private class DeltaDeletionVectors(
    table: Option[String],
    access: Broadcast[SerializableConfiguration])
    extends DeletionVectors {
  import DeltaDeletionVectors._

  override def encode(file: PartitionedFile): JsonNode = {
    val constants = file.otherConstantMetadataColumnValues
    (constants.get(DescriptorKey), constants.get(KindKey)) match {
      case (None, None) => Json.Null
      case (descriptor, kind) =>
        // whatever is wrong, Spark's operators raise the error of it
        val marked = Try(distances(load(descriptor.get.toString))).toOption
        val known = marked.filter(_ => kind.exists(k => Kinds.contains(k.toString)))
        Json.obj(
          "marked" -> known.map(Json.text).getOrElse(Json.Null),
          "drops" -> Json.bool(kind.exists(_.toString == DropsMarked)))
    }
  }

  /** The positions of the rows that a vector marks, in order. */
  private def load(encoded: String): Array[Long] = {
    val descriptor = companion(DescriptorClass, "deserializeFromBase64", encoded)
    if (call(descriptor, "cardinality") == 0L) {
      Array.emptyLongArray
    } else {
      val store = companion(StoreClass, "createInstance", access.value.value)
      val stored = companion(BitmapClass, "create", descriptor, new Path(table.get))
      call(call(stored, "load", store), "toArray").asInstanceOf[Array[Long]]
    }
  }
}

private object DeltaDeletionVectors {
  private val Package = "org.apache.spark.sql.delta"
  val DescriptorClass: String = s"$Package.actions.DeletionVectorDescriptor"
  val StoreClass: String = s"$Package.storage.dv.DeletionVectorStore"
  val BitmapClass: String = s"$Package.deletionvectors.StoredBitmap"
  val DescriptorKey = "row_index_filter_id_encoded"
  val KindKey = "row_index_filter_type"
  val DropsMarked = "IF_CONTAINED"
  val Kinds: Set[String] = Set(DropsMarked, "IF_NOT_CONTAINED")
  private val MostDistance = 0xffffffffL

  private def companion(name: String, method: String, arguments: AnyRef*): AnyRef = {
    val found = Utils.classForName[AnyRef](s"$name$$").getField("MODULE$").get(null)
    call(found, method, arguments: _*)
  }

  private def call(target: AnyRef, name: String, arguments: AnyRef*): AnyRef =
    target.getClass.getMethods
      .find(method => method.getName == name && method.getParameterCount == arguments.length)
      .getOrElse(throw new NoSuchMethodException(s"${target.getClass.getName}.$name"))
      .invoke(target, arguments: _*)

  /** Positions as in the wire format. */
  private def distances(positions: Array[Long]): String = {
    val bytes = ByteBuffer
      .allocate(positions.length * java.lang.Integer.BYTES)
      .order(ByteOrder.LITTLE_ENDIAN)
    var last = -1L
    positions.foreach { position =>
      require(position - last <= MostDistance, s"the rows $last and $position are too far apart")
      bytes.putInt((position - last).toInt)
      last = position
    }
    val packed = new ByteArrayOutputStream
    val out = new DeflaterOutputStream(packed)
    out.write(bytes.array())
    out.close()
    Base64.getEncoder.encodeToString(packed.toByteArray)
  }
}
