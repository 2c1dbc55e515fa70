package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.types.{ArrayType, DataType, DayTimeIntervalType, DecimalType, MapType, StringType, StructType, YearMonthIntervalType}

/**
 * Names of types as the capabilities write them: Spark's `typeName` without parameters, which are
 * the fields of an interval. What has strings that do not compare by their bytes has another name,
 * since few functions take it.
 */
private[broadhead] object TypeNames {
  private val Collated = "collated_"

  def of(dataType: DataType): String = dataType match {
    case string: StringType if isCollated(string) =>
      Collated + string.typeName.takeWhile(_ != ' ')
    case nested if isNested(nested) && holdsCollation(nested) => Collated + nested.typeName
    case _: DecimalType => "decimal"
    case _: YearMonthIntervalType => "year_month_interval"
    case _: DayTimeIntervalType => "day_time_interval"
    case other => other.typeName
  }

  /** The types that a nested type is made of; the type itself where it is not nested. */
  def leaves(dataType: DataType): Seq[DataType] = dataType match {
    case ArrayType(element, _) => leaves(element)
    case MapType(key, value, _) => leaves(key) ++ leaves(value)
    case StructType(fields) => fields.toSeq.flatMap(field => leaves(field.dataType))
    case other => Seq(other)
  }

  def isNested(dataType: DataType): Boolean = dataType match {
    case _: ArrayType | _: MapType | _: StructType => true
    case _ => false
  }

  /** Whether a type is a string, or has one, that does not compare by its bytes. */
  def holdsCollation(dataType: DataType): Boolean = dataType.existsRecursively {
    case string: StringType => isCollated(string)
    case _ => false
  }

  /** Whether a type is a string, or has one, that may equal one of other bytes. */
  def equalsByKeys(dataType: DataType): Boolean = dataType.existsRecursively {
    case string: StringType => isCollated(string) && !string.supportsBinaryEquality
    case _ => false
  }

  /** Spark's INDETERMINATE_COLLATION_ID, of strings from different collations, is negative. */
  def isCollated(string: StringType): Boolean = string.collationId > 0

  /** Whether a type is or contains a map; Spark does not compare values of such types. */
  def holdsMap(dataType: DataType): Boolean = dataType.existsRecursively(_.isInstanceOf[MapType])
}
