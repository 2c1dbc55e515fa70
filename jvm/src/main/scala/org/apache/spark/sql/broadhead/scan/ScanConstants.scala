package org.apache.spark.sql.broadhead.scan

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{Json, LiteralValues}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, InputFileBlockLength, InputFileBlockStart, InputFileName, Literal}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The columns of a scan that have one value for all rows of a split: the table's partition
 * columns, then the wanted fields of `_metadata`, then functions of the file. And what else is
 * known of the rows of a file.
 */
private[broadhead] case class ScanConstants(
    partition: StructType,
    metadata: StructType,
    extractors: Map[String, PartitionedFile => Any],
    functions: Seq[Expression],
    deletionVectors: Option[DeletionVectors])
    extends SplitFields {

  override def encode(file: PartitionedFile): Seq[(String, JsonNode)] =
    Seq(
      "partitionValues" -> Json.array(values(file)),
      "deletionVector" -> deletionVectors.map(_.encode(file)).getOrElse(Json.Null))

  private def values(file: PartitionedFile): Seq[JsonNode] = {
    val row = file.partitionValues
    val values = partition.fields.toSeq.zipWithIndex.map { case (field, ordinal) =>
      encodeValue(field, if (row.isNullAt(ordinal)) null else row.get(ordinal, field.dataType))
    }
    values ++ metadata.fields.map { field =>
      encodeValue(field, metadataValue(field, file))
    } ++ functions.map(functionValue(_, file))
  }

  /** What Spark's scan stores for its thread. */
  private def functionValue(function: Expression, file: PartitionedFile): JsonNode =
    function match {
      case _: InputFileName => Json.text(file.urlEncodedPath)
      case _: InputFileBlockStart => Json.number(file.start)
      case _: InputFileBlockLength => Json.number(file.length)
      case other =>
        throw new IllegalStateException(s"${other.prettyName} is not a function of a file")
    }

  /** Spark 4.3 asks for the type as well. */
  private def metadataValue(field: StructField, file: PartitionedFile): Any =
    VersionedSpark
      .withDefaults[Literal](
        FileFormat,
        "getFileConstantMetadataColumnValue",
        Seq(field.name, file, extractors, field.dataType))
      .value

  private def encodeValue(field: StructField, value: Any): JsonNode =
    LiteralValues.encode(value, field.dataType).getOrElse {
      throw new IllegalStateException(
        s"a value of column ${field.name} (${field.dataType.sql}) cannot be encoded as JSON")
    }
}

private[broadhead] object ScanConstants {
  def of(scan: FileSourceScanExec, ofFile: Seq[Alias]): ScanConstants = ScanConstants(
    scan.relation.partitionSchema,
    DataTypeUtils.fromAttributes(scan.fileConstantMetadataColumns),
    scan.relation.fileFormat.fileConstantMetadataExtractors,
    ofFile.map(_.child),
    ScanFormat.of(scan).flatMap(_.deletionVectors(scan)))
}
