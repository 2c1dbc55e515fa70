package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.datasources.{FileFormat, WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.internal.SQLConf

/** A file format that the engine writes. */
private[broadhead] trait WriteFormat {

  /** Its name in the wire format. */
  def name: String

  /** Spark's class of the format; a subclass may write other files. */
  def sparkClass: Class[_ <: FileFormat]

  /** Whether its files are lines of text, which Spark compresses with Hadoop's codecs. */
  def isLines: Boolean = false

  /** Why the engine cannot write such files like Spark; none if it can. */
  def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String]

  /** What the engine's writer needs of a column. */
  def value(column: Attribute, options: WriteOptions): Expression = column

  /** What the engine's writer needs to know of all files of a job. */
  def settings(job: WriteJobDescription, options: WriteOptions): Seq[(String, JsonNode)]
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
