package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.SPARK_VERSION_SHORT
import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons, TypeNames}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.datasources.{FileFormat, WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * A file format that the engine writes.
 *
 * @param name its name in the wire format
 * @param sparkClass Spark's class of the format; a subclass may write other files
 * @param isLines whether its files are lines of text, which Spark compresses with Hadoop's codecs
 */
private[broadhead] abstract class WriteFormat(
    val name: String,
    val sparkClass: Class[_ <: FileFormat],
    val isLines: Boolean) {

  /** Why the engine cannot write such files like Spark; none if it can. */
  def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String]

  /** What the engine's writer needs of a column. */
  def value(column: Attribute, options: WriteOptions): Expression = column

  /** What the engine's writer needs to know of all files of a job. */
  def settings(job: WriteJobDescription, options: WriteOptions): Seq[(String, JsonNode)]
}

/** A format of Spark's own types, with Spark's version in each file. */
private[broadhead] abstract class TypedWriteFormat(
    name: String,
    sparkClass: Class[_ <: FileFormat])
    extends WriteFormat(name, sparkClass, isLines = false) {

  protected val writtenVersion: (String, JsonNode) =
    "org.apache.spark.version" -> Json.text(SPARK_VERSION_SHORT)

  protected def columnReasons(column: Attribute): Seq[String] =
    Reasons.when(TypeNames.holdsCollation(column.dataType))(
      s"column ${column.name} has a collation, which is not written") ++
      Reasons.when(!isWritten(column.dataType))(
        s"columns of the type ${column.dataType.sql} (${column.name}) are not written")

  protected def isWritten(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _) => isWritten(element)
    case MapType(key, value, _) => isWritten(key) && isWritten(value)
    case StructType(fields) =>
      fields.nonEmpty && fields.forall(field => isWritten(field.dataType))
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        BinaryType | DateType | TimestampType | TimestampNTZType =>
      true
    case _: DecimalType | _: StringType => true
    case _ => false
  }
}

/** A format whose lines have the texts of values. */
private[broadhead] abstract class TextsWriteFormat(
    name: String,
    sparkClass: Class[_ <: FileFormat])
    extends WriteFormat(name, sparkClass, isLines = true) {

  protected def formats(options: WriteOptions): ValueFormats

  override def value(column: Attribute, options: WriteOptions): Expression =
    ValueTexts.of(column, formats(options))
}

/** What the user has asked for: the options of the write over those of the session. */
private[broadhead] case class WriteOptions(parameters: Map[String, String], conf: SQLConf)

private[broadhead] object WriteOptions {
  def of(write: WriteFilesExec): WriteOptions = WriteOptions(write.options, write.conf)
}

private[broadhead] object WriteFormat {
  private val all: Seq[WriteFormat] =
    Seq(ParquetWriteFormat, OrcWriteFormat, CsvWriteFormat, JsonWriteFormat, TextWriteFormat)

  /** The format of a write, if the engine writes it. */
  def of(format: FileFormat): Option[WriteFormat] = all.find(_.sparkClass == format.getClass)

  /** The columns of a write that are in its files. */
  def dataColumns(write: WriteFilesExec): Seq[Attribute] =
    write.child.output.filterNot(column => write.partitionColumns.contains(column))
}
