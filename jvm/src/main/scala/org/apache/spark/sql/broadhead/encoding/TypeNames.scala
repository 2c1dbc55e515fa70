package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.types.{ArrayType, DataType, DayTimeIntervalType, DecimalType, MapType, NullType, StringType, StructType, YearMonthIntervalType}

/**
 * Names of types in the capabilities: Spark's `typeName` without parameters (such as the fields
 * of an interval). Types with strings that are not compared by their bytes have other names,
 * since few functions support them, and types without a form in the engine names that nothing
 * supports.
 */
private[broadhead] object TypeNames {
  private val Collated = "collated_"

  def of(dataType: DataType): String = dataType match {
    case string: StringType if isCollated(string) =>
      Collated + string.typeName.takeWhile(_ != ' ')
    case formless if isFormless(formless) => formless.catalogString
    case nested if isNested(nested) && holdsCollation(nested) => Collated + nested.typeName
    case _: DecimalType => "decimal"
    case _: YearMonthIntervalType => "year_month_interval"
    case _: DayTimeIntervalType => "day_time_interval"
    case other => other.typeName
  }

  /**
   * Whether the engine has no values of a type: the texts and numbers of decimals with a negative
   * scale follow rules of their own, and Arrow has no maps whose keys are nulls, as `map()` has.
   */
  private def isFormless(dataType: DataType): Boolean = dataType.existsRecursively {
    case decimal: DecimalType => decimal.scale < 0
    case MapType(NullType, _, _) => true
    case _ => false
  }

  /** The leaf types of a nested type; the type itself if it is not nested. */
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

  /** Whether a type is or contains a string that is not compared by its bytes. */
  def holdsCollation(dataType: DataType): Boolean = dataType.existsRecursively {
    case string: StringType => isCollated(string)
    case _ => false
  }

  /** Whether a type is or contains a string that may equal one of other bytes. */
  def equalsByKeys(dataType: DataType): Boolean = dataType.existsRecursively {
    case string: StringType => isCollated(string) && !CompiledSpark.equalsByBytes(string)
    case _ => false
  }

  def isCollated(string: StringType): Boolean = CompiledSpark.isCollated(string)

  /** Whether a type is or contains a map; Spark does not compare values of such types. */
  def holdsMap(dataType: DataType): Boolean = dataType.existsRecursively(_.isInstanceOf[MapType])
}
