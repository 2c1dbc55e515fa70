package org.apache.spark.sql.broadhead.scan.text

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Texts of dates and timestamps in lines: the options of a scan that say how they are read. */
private[broadhead] case class LineValues(
    dateFormat: Option[String],
    timestampFormat: Option[String],
    timestampNtzFormat: Option[String],
    timeZone: String) {
  import LineValues._

  /**
   * Why the engine cannot convert values of these columns like Spark.
   *
   * @param nests whether a field of a line may have further fields or elements
   */
  def reasons(
      scan: FileSourceScanExec,
      schema: StructType,
      format: String,
      nests: Boolean): Seq[String] = {
    val parts = schema.map(field => if (nests) partsOf(field.dataType) else Seq(field.dataType))
    val types = parts.flatten
    val legacy = VersionedSpark.hasLegacyTimeParser(scan.conf)
    schema.zip(parts).collect {
      case (field, values) if !values.forall(isReadable) =>
        s"column ${field.name} is of type ${field.dataType.sql}, which is not read from $format"
    } ++
      Reasons.when(types.exists(isCalendar) && legacy)(
        s"${SQLConf.LEGACY_TIME_PARSER_POLICY.key} = LEGACY is not supported") ++
      reasons("dateFormat", types.contains(DateType), dateFormat, plainDates) ++
      reasons("timestampFormat", types.contains(TimestampType), timestampFormat, plainMoments) ++
      reasons(
        "timestampNTZFormat",
        types.contains(TimestampNTZType),
        timestampNtzFormat,
        plainMoments)
  }

  private def reasons(
      name: String,
      isRead: Boolean,
      format: Option[String],
      plain: Set[String]): Seq[String] =
    format
      .filter(pattern => isRead && !plain(pattern))
      .map(pattern => s"$name = $pattern is not supported")
      .toSeq

  /** For the engine. */
  def options(schema: StructType, encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "dateFormat" -> optional(dateFormat),
    "timestampFormat" -> optional(timestampFormat),
    "timestampNtzFormat" -> optional(timestampNtzFormat),
    "timeZone" -> optional(
      Some(timeZone)
        .filter(_ => schema.exists(field => partsOf(field.dataType).contains(TimestampType)))
        .map(encoder.inTimeZone)))

  private def optional(value: Option[String]): JsonNode =
    value.map(Json.text).getOrElse(Json.Null)
}

private[broadhead] object LineValues {

  /** Formats whose usual texts are those of the default formats. */
  private val plainDates = Set("yyyy-MM-dd")

  private val plainMoments = Set("yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss")

  /** The types of the values without parts in a value of this type. */
  private def partsOf(dataType: DataType): Seq[DataType] = dataType match {
    case ArrayType(element, _) => partsOf(element)
    case StructType(fields) if fields.nonEmpty =>
      fields.toSeq.flatMap(field => partsOf(field.dataType))
    case other => Seq(other)
  }

  def isFloating(dataType: DataType): Boolean =
    dataType == FloatType || dataType == DoubleType

  private def isCalendar(dataType: DataType): Boolean =
    dataType == DateType || dataType == TimestampType || dataType == TimestampNTZType

  private def isReadable(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | BooleanType | StringType => true
    case _: DecimalType => true
    case other => isFloating(other) || isCalendar(other)
  }

  /** Why the column of malformed lines cannot be read. */
  def corruptRecordReasons(
      name: String,
      dataSchema: StructType,
      requiredSchema: StructType): Seq[String] = {
    val found = dataSchema.find(_.name == name)
    Reasons.when(found.exists(field => field.dataType != StringType || !field.nullable))(
      s"the column $name of malformed lines is not a nullable string") ++
      Reasons.when(requiredSchema.fieldNames.sameElements(Array(name)))(
        s"only the column $name of malformed lines is read")
  }
}
