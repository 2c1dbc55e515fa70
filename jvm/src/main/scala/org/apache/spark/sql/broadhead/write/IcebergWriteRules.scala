package org.apache.spark.sql.broadhead.write

import java.util.Locale

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionSupport, Reasons, TypeNames}
import org.apache.spark.sql.broadhead.scan.iceberg.{IcebergField, IcebergLibrary}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.connector.write.Write

/** Which tables the engine writes. */
private[write] class IcebergWriteRules(
    writes: IcebergWriteLibrary,
    library: IcebergLibrary,
    write: Write,
    settings: Settings) {
  private val Codec = "write.parquet.compression-codec"

  val fields: IcebergWriteFields = writes.fieldsOf(write)

  val columns: Seq[IcebergField] = library.columnsOfSchema(fields.schema)

  val partitions = new IcebergPartitions(fields.partitions, columns, writes)

  private val properties = library.propertiesOf(fields.table) ++ fields.properties

  private val Codecs = Map(
    "zstd" -> "zstd",
    "snappy" -> "snappy",
    "gzip" -> "gzip",
    "uncompressed" -> "none",
    "brotli" -> "brotli")

  /** pyarrow's name of the compression. */
  def compression: Option[String] =
    Codecs.get(properties.getOrElse(Codec, "zstd").toLowerCase(Locale.ROOT))

  /** Iceberg's schema of the rows, as JSON. */
  def schema: String = writes.textOf(fields.schema)

  /**
   * Why the engine does not write.
   *
   * @param query the columns of the command's rows, of which some may not be written
   */
  def reasons(query: Seq[Attribute]): Seq[String] =
    Reasons.when(!settings.operatorEnabled(WriteFilesCase.name))(
      s"switched off by spark.broadhead.operator.${WriteFilesCase.name}.enabled") ++
      Reasons.when(fields.format != "PARQUET")(s"files of ${fields.format} are not written") ++
      Reasons.when(library.isEncrypted(fields.table))("encrypted tables are not written") ++
      propertyReasons ++ columnReasons ++ partitionReasons(query)

  private def partitionReasons(query: Seq[Attribute]): Seq[String] = {
    val written = columns.map(column => query.find(_.name == column.name))
    if (written.exists(_.isEmpty)) Nil
    else {
      val support = new ExpressionSupport(Capabilities.ofJar, settings)
      partitions.reasons(written.flatten, support)
    }
  }

  private def propertyReasons: Seq[String] = {
    val known = Set(Codec, "write.parquet.compression-level")
    properties.keys.toSeq.sorted
      .filter(key => key.startsWith("write.parquet.") && !known(key))
      // Columns of this type are not written at all.
      .filterNot(_.contains("variant"))
      .map(key => s"the table's property $key is not supported") ++
      Reasons.when(compression.isEmpty)(
        s"files with the compression ${properties(Codec)} are not written")
  }

  private def columnReasons: Seq[String] =
    if (columns.map(_.name) != fields.rows.fieldNames.toSeq)
      Seq("the rows have other columns than the table's files")
    else
      columns.zip(fields.rows).flatMap { case (column, row) =>
        val kinds = column.all.map(_.kind).distinct.filterNot(Known)
        val nested = column.children.flatMap(_.all).map(_.kind).exists(Floating)
        kinds.map(kind => s"columns of Iceberg's type $kind (${column.name}) are not written") ++
          Reasons.when(nested)(s"floats inside of column ${column.name} are not counted") ++
          Reasons.when(TypeNames.holdsCollation(row.dataType))(
            s"column ${column.name} has a collation, which is not written")
      }

  private def Floating = Set("FLOAT", "DOUBLE")

  private def Known = Floating ++ Set("BOOLEAN", "INTEGER", "LONG", "DATE", "TIMESTAMP", "STRING",
    "BINARY", "DECIMAL", "STRUCT", "LIST", "MAP")
}
