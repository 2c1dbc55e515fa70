package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode
import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.encoding.{Json, Reasons}
import org.apache.spark.sql.broadhead.fragment.FragmentOperator
import org.apache.spark.sql.broadhead.scan.iceberg.{IcebergField, IcebergLibrary}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.ProjectingInternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

/**
 * Which columns of its rows a task of Spark's command writes.
 *
 * @param projection these columns; None if they are all
 * @param operation what the first column of a row to be written is, if it says so
 */
private[write] case class WrittenColumnsOfTask(
    projection: Option[ProjectingInternalRow],
    operation: Option[Int])

private[write] object WrittenColumnsOfTask {
  private val Package = "org.apache.spark.sql.execution.datasources.v2"

  /** Those of an object that a job's function has captured, if it is such a task. */
  def of(task: AnyRef): Option[WrittenColumnsOfTask] =
    task.getClass.getName.stripPrefix(s"$Package.") match {
      case "DataWritingSparkTask$" => Some(WrittenColumnsOfTask(None, None))
      // Of MERGE, UPDATE and DELETE, which replace whole files.
      case "DataAndMetadataWritingSparkTask" =>
        val columns = task.getClass.getMethod("dataProj").invoke(task)
        Some(
          WrittenColumnsOfTask(
            Some(columns.asInstanceOf[ProjectingInternalRow]),
            Some(writeOperation)))
      case _ => None
    }

  /** What such a row has in its first column; older versions of Spark do not have the task. */
  private def writeOperation: Int =
    RowDeltaUtils.getClass.getMethod("WRITE_OPERATION").invoke(RowDeltaUtils).asInstanceOf[Int]
}

/** A job of Spark's command over the rows of a fragment. */
private[write] class IcebergWrite(
    root: FragmentOperator,
    factory: EngineWriterFactory,
    rows: WrittenColumnsOfTask)
    extends Logging {
  private val write = new FragmentFileWrite(root)

  /** The ordinals of the written columns. */
  private val written: Seq[Int] =
    rows.projection.fold[Seq[Int]](root.output.indices)(VersionedSpark.ordinalsOf)

  private val columns: Seq[Attribute] = written.map(root.output)

  /** The write; none if the engine does not write these rows. */
  def prepared: Option[ResultWrite] =
    for {
      library <- IcebergWriteLibrary.of(factory.write).toOption
      tables <- IcebergLibrary.of(factory.write).toOption
      rules = new IcebergWriteRules(library, tables, factory.write, new Settings(root.conf))
      if isWritten(rules)
      encoded <- write.encoded(layout(rules))
    } yield {
      val sources = rules.partitions.sources
      val floating = floatingColumns.map(n => rules.columns(n).id)
      val files = IcebergFiles(floating, sources, rows.projection)
      new IcebergResultWrite(factory, encoded, sources.map(columns), files, rows.operation)
    }

  private def isWritten(rules: IcebergWriteRules): Boolean = {
    val table = rules.fields.rows
    val fits = columns.map(_.name) == table.fieldNames.toSeq &&
      columns.zip(table).forall { case (column, field) =>
        DataTypeUtils.sameType(column.dataType, field.dataType)
      }
    val reasons = columns.flatMap(write.support.columnReasons) ++
      Reasons.when(!fits)("the rows have other columns than the write") ++ rules.reasons(columns)
    if (reasons.nonEmpty) logInfo(s"Iceberg writes rows of a fragment: ${reasons.mkString("; ")}")
    reasons.isEmpty
  }

  private def layout(rules: IcebergWriteRules): FileLayout = FileLayout(
    written,
    columns.zip(rules.fields.rows).map { case (column, field) =>
      column.withNullability(field.nullable)
    },
    settings(rules),
    rules.partitions.expressions(columns),
    // Otherwise Iceberg has asked Spark for an order in which rows of a partition are together.
    isSorted = !rules.fields.hasOpenFiles,
    first = rules.partitions.sources.map(written),
    nans = floatingColumns.map(written),
    targetBytes = rules.fields.targetBytes)

  /** The positions of the written columns whose NaN are counted. */
  private def floatingColumns: Seq[Int] =
    columns.indices.filter(n => Set[DataType](FloatType, DoubleType)(columns(n).dataType))

  private def settings(rules: IcebergWriteRules): Seq[(String, JsonNode)] = Seq(
    "compression" -> Json.text(rules.compression.get),
    "dictionary" -> Json.bool(true),
    "int96" -> Json.bool(false),
    "metadata" -> Json.obj("iceberg.schema" -> Json.text(rules.schema)),
    "fieldIds" -> Json.array(rules.columns.map(ids)))

  private def ids(field: IcebergField): JsonNode = Json.obj(
    "id" -> Json.number(field.id.toLong),
    "children" -> Json.array(field.children.map(ids)))
}
