package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.execution.datasources.{FileFormat, WriteFilesExec, WriteJobDescription}

/** A file format that the engine writes. */
private[broadhead] trait WriteFormat {

  /** Its name in the wire format. */
  def name: String

  /** Spark's class of the format; a subclass may write other files. */
  def sparkClass: Class[_ <: FileFormat]

  /** Why the engine cannot write such files like Spark; none if it can. */
  def reasons(write: WriteFilesExec): Seq[String]

  /** What the engine needs to know, from the configuration that Spark made for the job. */
  def options(job: WriteJobDescription): Seq[(String, JsonNode)]
}

private[broadhead] object WriteFormat {
  private val all: Seq[WriteFormat] = Seq(ParquetWriteFormat)

  /** The format of a write, if the engine writes it. */
  def of(format: FileFormat): Option[WriteFormat] = all.find(_.sparkClass == format.getClass)
}
