package org.apache.spark.sql.broadhead.write

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import org.apache.orc.OrcConf

import org.apache.spark.SPARK_VERSION_SHORT
import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons, TypeNames}
import org.apache.spark.sql.broadhead.scan.orc.ExecutorTimeZone
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{FileFormat, WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcOptions}
import org.apache.spark.sql.types._

/** ORC files with Spark's own types, metadata and compression. */
private[broadhead] object OrcWriteFormat extends WriteFormat {
  private val VersionKey = "org.apache.spark.version"

  /** pyarrow's names of the codecs that both libraries write. */
  private val Codecs = Map(
    "NONE" -> "uncompressed",
    "SNAPPY" -> "snappy",
    "ZLIB" -> "zlib",
    "ZSTD" -> "zstd",
    "LZ4" -> "lz4")

  override def name: String = "orc"

  override def sparkClass: Class[_ <: FileFormat] = classOf[OrcFileFormat]

  override def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] = {
    val data = WriteFormat.dataColumns(write)
    val codec = new OrcOptions(write.options, write.conf).compressionCodec
    val timestamps = data.exists(_.dataType.existsRecursively(_ == TimestampType))
    Reasons.when(!Codecs.contains(codec))(s"files with the compression $codec are not written") ++
      settingReasons(write) ++ data.flatMap(columnReasons) ++
      (if (timestamps) ExecutorTimeZone.reasons(write.session.sparkContext) else Nil)
  }

  /** Settings of ORC's own writer: stripes, filters, encryption. */
  private def settingReasons(write: WriteFilesExec): Seq[String] = {
    val hadoop = write.session.sessionState.newHadoopConfWithOptions(write.options)
    val keys = hadoop.asScala.map(_.getKey) ++ write.options.keys
    keys.toSeq.distinct
      .filter(_.toLowerCase(Locale.ROOT).startsWith("orc."))
      .filterNot(_.equalsIgnoreCase(OrcConf.COMPRESS.getAttribute))
      .map(key => s"the option $key is not supported")
  }

  private def columnReasons(column: Attribute): Seq[String] =
    Reasons.when(TypeNames.holdsCollation(column.dataType))(
      s"column ${column.name} has a collation, which is not written") ++
      Reasons.when(!isWritten(column.dataType))(
        s"columns of the type ${column.dataType.sql} (${column.name}) are not written")

  private def isWritten(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _) => isWritten(element)
    case MapType(key, value, _) => isWritten(key) && isWritten(value)
    case StructType(fields) =>
      fields.nonEmpty && fields.forall(field => isWritten(field.dataType))
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        BinaryType | DateType | TimestampType | TimestampNTZType =>
      true
    case _: DecimalType | _: StringType | _: AnsiIntervalType => true
    case _ => false
  }

  /** Whether Spark writes its name of the type into the footer. */
  private def isNamed(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | StringType | _: AnsiIntervalType => true
    case _ => false
  }

  override def settings(
      job: WriteJobDescription,
      options: WriteOptions): Seq[(String, JsonNode)] = {
    val codec = job.serializableHadoopConf.value.get(OrcConf.COMPRESS.getAttribute)
    val types = typesInOrder(DataTypeUtils.fromAttributes(job.dataColumns)).zipWithIndex
    Seq(
      "compression" -> Json.text(Codecs(codec)),
      "metadata" -> Json.obj(VersionKey -> Json.text(SPARK_VERSION_SHORT)),
      "catalystTypes" -> Json.obj(types.collect {
        case (dataType, number) if isNamed(dataType) =>
          number.toString -> Json.text(dataType.typeName)
      }: _*))
  }

  /** The type and its parts, in the order in which ORC numbers them. */
  private def typesInOrder(dataType: DataType): Seq[DataType] = dataType +: (dataType match {
    case ArrayType(element, _) => typesInOrder(element)
    case MapType(key, value, _) => typesInOrder(key) ++ typesInOrder(value)
    case StructType(fields) => fields.toSeq.flatMap(field => typesInOrder(field.dataType))
    case _ => Nil
  })
}
