package org.apache.spark.sql.broadhead.scan.text

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.text.{TextFileFormat, TextOptions}

/** Text: each line is a row. */
private[broadhead] object TextScanFormat extends ScanFormat {
  override def name: String = "text"

  override def sparkClass: Class[_ <: FileFormat] = classOf[TextFileFormat]

  override def reasons(scan: FileSourceScanExec): Seq[String] = {
    val text = options(scan)
    Reasons.when(text.wholeText)("wholetext = true is not supported") ++
      LineFiles.reasons(scan, text.encoding.getOrElse(UTF_8.name), text.lineSeparatorInRead)
  }

  override def options(
      scan: FileSourceScanExec,
      encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Seq("anyLineEnd" -> Json.bool(options(scan).lineSeparatorInRead.isEmpty))

  private def options(scan: FileSourceScanExec) = new TextOptions(scan.relation.options)
}
