package org.apache.spark.sql.broadhead.scan.text

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.execution.FileSourceScanExec

/** Why the engine cannot divide files into lines like Spark. */
private[broadhead] object LineFiles {

  /** Settings of Hadoop's line reader, which the engine does not have. */
  private val hadoopKeys =
    Seq("io.compression.codecs", "mapreduce.input.linerecordreader.line.maxlength")

  /**
   * The reasons.
   *
   * @param lineSeparator the bytes that end a line, if the user has named them
   */
  def reasons(
      scan: FileSourceScanExec,
      encoding: String,
      lineSeparator: Option[Array[Byte]]): Seq[String] = {
    val hadoop = Option(scan.session).map(_.sparkContext.hadoopConfiguration)
    val set = hadoopKeys.filter { key =>
      scan.relation.options.contains(key) || hadoop.exists(conf => !conf.get(key, "").isEmpty)
    }
    Reasons.when(!encoding.equalsIgnoreCase(UTF_8.name))(
      s"encoding = $encoding is not supported (UTF-8 is)") ++
      Reasons.when(lineSeparator.exists(bytes => !bytes.sameElements(Array('\n'.toByte))))(
        "lineSep is supported only for \\n") ++
      set.map(key => s"$key is set, which is not supported")
  }
}
