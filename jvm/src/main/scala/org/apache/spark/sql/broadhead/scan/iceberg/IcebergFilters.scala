package org.apache.spark.sql.broadhead.scan.iceberg

import java.math.{BigDecimal => JavaDecimal}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Iceberg's conditions as Catalyst's, as far as their columns are in the output. */
private[iceberg] class IcebergFilters(library: IcebergLibrary, output: Seq[Attribute]) {
  private val columns = output.map(column => column.name -> column).toMap

  /** A condition that holds wherever Iceberg's does; None if there is none. */
  def of(condition: AnyRef): Option[Expression] = library.operationOf(condition) match {
    case "AND" =>
      val (left, right) = library.sidesOf(condition)
      (of(left) ++ of(right)).reduceOption(And(_, _))
    case "OR" =>
      val (left, right) = library.sidesOf(condition)
      for { one <- of(left); other <- of(right) } yield Or(one, other)
    case operation =>
      for {
        (name, values) <- library.predicateOf(condition)
        column <- columns.get(name)
        found <- comparison(operation, column, values)
      } yield found
  }

  private def comparison(
      operation: String,
      column: Attribute,
      values: Seq[Any]): Option[Expression] = {
    val literals = values.flatMap(literal(_, column.dataType))
    (operation, literals) match {
      case _ if literals.length < values.length => None
      case ("NOT_NULL", _) => Some(IsNotNull(column))
      case ("LT", Seq(value)) => Some(LessThan(column, value))
      case ("LT_EQ", Seq(value)) => Some(LessThanOrEqual(column, value))
      case ("GT", Seq(value)) => Some(GreaterThan(column, value))
      case ("GT_EQ", Seq(value)) => Some(GreaterThanOrEqual(column, value))
      case ("EQ", Seq(value)) => Some(EqualTo(column, value))
      case ("IN", some) => Some(In(column, some))
      case _ => None
    }
  }

  private def literal(value: Any, dataType: DataType): Option[Literal] = {
    val converted = (value, dataType) match {
      case (number: Int, IntegerType | DateType) => Some(number)
      case (number: Long, LongType | TimestampType | TimestampNTZType) => Some(number)
      case (number: Float, FloatType) => Some(number)
      case (number: Double, DoubleType) => Some(number)
      case (text: CharSequence, StringType) => Some(UTF8String.fromString(text.toString))
      case (number: JavaDecimal, decimal: DecimalType) =>
        Some(Decimal(BigDecimal(number), decimal.precision, decimal.scale))
      case _ => None
    }
    converted.map(Literal(_, dataType))
  }
}
