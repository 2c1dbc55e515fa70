package org.apache.spark.sql.broadhead.write

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import org.apache.orc.OrcConf

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.orc.ExecutorTimeZone
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcOptions}
import org.apache.spark.sql.types._

/** ORC files with Spark's own types, metadata and compression. */
private[broadhead] object OrcWriteFormat extends TypedWriteFormat("orc", classOf[OrcFileFormat]) {

  /** pyarrow's names of the codecs that both libraries write. */
  private val Codecs = Map(
    "NONE" -> "uncompressed",
    "SNAPPY" -> "snappy",
    "ZLIB" -> "zlib",
    "ZSTD" -> "zstd",
    "LZ4" -> "lz4")

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

  protected override def isWritten(dataType: DataType): Boolean =
    dataType.isInstanceOf[AnsiIntervalType] || super.isWritten(dataType)

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
      "metadata" -> Json.obj(writtenVersion),
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
