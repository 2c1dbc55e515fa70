package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.text.{TextFileFormat, TextOptions}
import org.apache.spark.sql.types.StringType

/** Text: the strings of one column, a line each. */
private[broadhead] object TextWriteFormat
    extends WriteFormat("text", classOf[TextFileFormat], isLines = true) {

  override def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] =
    ValueTexts.encodingReasons(new TextOptions(write.options).encoding.getOrElse("UTF-8")) ++
      Reasons.when(WriteFormat.dataColumns(write).map(_.dataType) != Seq(StringType))(
        "the files do not have one column of strings")

  override def settings(
      job: WriteJobDescription,
      options: WriteOptions): Seq[(String, JsonNode)] = {
    val text = new TextOptions(options.parameters)
    Seq("lineSeparator" -> Json.text(new String(text.lineSeparatorInWrite, "UTF-8")))
  }
}
