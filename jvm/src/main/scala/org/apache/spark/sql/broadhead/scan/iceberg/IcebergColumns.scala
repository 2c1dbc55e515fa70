package org.apache.spark.sql.broadhead.scan.iceberg

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{Json, LiteralValues, Reasons}
import org.apache.spark.sql.catalyst.expressions.Attribute

/**
 * The columns of a scan of an Iceberg table.
 *
 * @param fields the fields of the scan's schema, with the names of the output
 */
private[iceberg] class IcebergColumns(output: Seq[Attribute], fields: Seq[IcebergField]) {
  import IcebergColumns._

  private val byName = fields.map(field => field.name -> field).toMap

  private def fieldOf(column: Attribute): Option[IcebergField] = byName.get(column.name)

  /** Why the engine cannot give the values of a column like Iceberg. */
  def reasons: Seq[String] = output.flatMap { column =>
    fieldOf(column) match {
      case None => Seq(s"Iceberg does not say what column ${column.name} is")
      case Some(field) => fieldReasons(column, field)
    }
  }

  private def fieldReasons(column: Attribute, field: IcebergField): Seq[String] = {
    val isMetadata = field.id > HighestDataId
    Reasons.when(isMetadata && !constantMetadata(field.id) && !generated.contains(field.id))(
      s"the metadata column ${column.name} is read by Iceberg") ++
      field.all.map(_.kind).filterNot(kinds).distinct.map { kind =>
        s"column ${column.name} of type ${kind.toLowerCase} is read by Iceberg"
      } ++
      Reasons.when(field.children.flatMap(_.all).exists(_.default.isDefined))(
        s"the default value of a field of column ${column.name} is not supported") ++
      Reasons.when(field.default.exists(LiteralValues.encode(_, column.dataType).isEmpty))(
        s"the default value of column ${column.name} is not supported")
  }

  /** Whether files may lack a column that has a value then. */
  def haveDefaults: Boolean = output.flatMap(fieldOf).exists(_.default.isDefined)

  /** The fields by name, for the engine to find them in the files. */
  def options: Seq[(String, JsonNode)] =
    Seq("fields" -> Json.obj(output.map { column =>
      val field = byName(column.name)
      val default = field.default.flatMap(LiteralValues.encode(_, column.dataType))
      column.name -> Json.obj(
        "id" -> Json.number(field.id.toLong),
        "fields" -> children(field),
        "generated" -> generated.get(field.id).map(Json.text).getOrElse(Json.Null),
        "default" -> default.getOrElse(Json.Null))
    }: _*))

  private def children(field: IcebergField): JsonNode = Json.obj(field.children.map { child =>
    child.name -> Json.obj("id" -> Json.number(child.id.toLong), "fields" -> children(child))
  }: _*)

  def splitFields: IcebergSplitFields =
    IcebergSplitFields(
      output.map(column => (byName(column.name).id, column.name, column.dataType)))
}

private[iceberg] object IcebergColumns {

  /** Ids above are those of columns that tables do not have themselves. */
  private val HighestDataId = Int.MaxValue - 200

  private val FilePath = Int.MaxValue - 1
  private val Position = Int.MaxValue - 2
  private val IsDeleted = Int.MaxValue - 3
  private val SpecId = Int.MaxValue - 4

  /** The id of the column of the whole partition value. */
  val Partition: Int = Int.MaxValue - 5

  /** The id of the column of the row's own id, which is constant where it follows the position. */
  val RowId: Int = Int.MaxValue - 107

  /** The id of the column of the number of the row's last change. */
  val SequenceNumber: Int = Int.MaxValue - 108

  /** Columns that have one value for a file. */
  private val constantMetadata = Set(FilePath, SpecId, Partition)

  /** Columns that the engine makes, by their names in the wire format. */
  private val generated = Map(
    Position -> "position",
    IsDeleted -> "deleted",
    RowId -> "rowId",
    SequenceNumber -> "sequenceNumber")

  /** Types whose values the engine reads like Iceberg. */
  private val kinds = Set("BOOLEAN", "INTEGER", "LONG", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP",
    "STRING", "BINARY", "FIXED", "DECIMAL", "STRUCT", "LIST", "MAP")
}
