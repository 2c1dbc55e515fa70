package org.apache.spark.sql.broadhead.write

import scala.util.Try

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.broadhead.scan.iceberg.IcebergField
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, V2ExpressionUtils}
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.types._

/**
 * The partitions of a table of Iceberg: a file has the rows of one partition.
 *
 * Where the partition of the rows changes is found with Iceberg's own functions of Spark. What the
 * partition of a file is, Iceberg computes of the file's first row.
 *
 * @param columns those of the table
 */
private[write] class IcebergPartitions(
    partitions: Seq[IcebergPartition],
    columns: Seq[IcebergField],
    library: IcebergWriteLibrary) {
  import IcebergPartitions._

  /** The ordinals of the columns that the partitions are made of. */
  def sources: Seq[Int] = partitions.map(ordinalOf).distinct

  private def ordinalOf(partition: IcebergPartition): Int =
    columns.indexWhere(_.id == partition.source)

  /** What the partitions are computed by, over columns of the same order. */
  def expressions(rows: Seq[Attribute]): Seq[Expression] =
    partitions.map(partition => expression(partition, rows(ordinalOf(partition))))

  private def expression(partition: IcebergPartition, column: Attribute): Expression =
    partition.transform match {
      case Identity => column
      case WithWidth(name, width) => call(name, Seq(Literal(width.toInt), column))
      case name => call(s"${name}s", Seq(column))
    }

  private def call(name: String, arguments: Seq[Expression]): Expression = {
    val types = StructType(arguments.zipWithIndex.map { case (argument, n) =>
      StructField(s"_$n", argument.dataType, argument.nullable)
    })
    val function = library.functionOf(name).bind(types).asInstanceOf[ScalarFunction[_]]
    V2ExpressionUtils.resolveScalarFunction(function, arguments)
  }

  /** Why the engine does not write files of such partitions. */
  def reasons(rows: Seq[Attribute], support: ExpressionSupport): Seq[String] =
    partitions.flatMap { partition =>
      val source = columns.find(_.id == partition.source)
      def refused(why: String) = Seq(s"partitions by ${partition.name} are not written: $why")
      partition.transform match {
        case _ if source.isEmpty => refused("its column is inside of another one")
        case _ if source.exists(column => Floating(column.kind)) => refused("a column of floats")
        case Identity | WithWidth(_, _) | "year" | "month" | "day" | "hour" =>
          Try(expression(partition, rows(ordinalOf(partition))))
            .fold(error => refused(error.getMessage), support.reasons)
        case other => refused(s"the transform $other is not known")
      }
    }
}

private object IcebergPartitions {
  private val Identity = "identity"
  private val WithWidth = raw"(bucket|truncate)\[(\d+)\]".r
  private val Floating = Set("FLOAT", "DOUBLE")
}
