package org.apache.spark.sql.broadhead.arrow

import scala.jdk.CollectionConverters._

import org.apache.arrow.vector._

import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * Writes rows of types without fields inside into the vectors of a root, as Spark's `ArrowWriter`
 * does.
 *
 * Spark's writer checks each access, and makes a buffer for each string. This one writes to the
 * vectors' memory, whose size it checks once a value.
 */
private[arrow] class FlatRowWriter(root: VectorSchemaRoot, columns: Array[FlatColumn])
    extends RowWriter {
  private var count = 0

  override def write(row: InternalRow): Unit = {
    var ordinal = 0
    while (ordinal < columns.length) {
      val column = columns(ordinal)
      column.makeRoom(count)
      if (!row.isNullAt(ordinal)) column.write(row, ordinal, count)
      else column.writeNull(count)
      ordinal += 1
    }
    count += 1
  }

  override def finish(): Unit = {
    columns.foreach(_.finish(count))
    root.setRowCount(count)
  }

  override def reset(): Unit = {
    count = 0
    root.setRowCount(0)
    columns.foreach(_.reset())
  }
}

private[arrow] object FlatRowWriter {

  /** A writer, if it knows all types of the rows. */
  def of(root: VectorSchemaRoot, schema: StructType): Option[FlatRowWriter] = {
    val vectors = root.getFieldVectors.asScala.toList
    val columns = schema.fields.toSeq.zip(vectors).map { case (field, vector) =>
      column.lift((field.dataType, vector))
    }
    Optional.when(columns.forall(_.isDefined)) {
      vectors.foreach(_.allocateNew())
      new FlatRowWriter(root, columns.flatten.toArray)
    }
  }

  private val column: PartialFunction[(DataType, FieldVector), FlatColumn] = {
    case (BooleanType, vector: BitVector) => new BooleanColumn(vector)
    case (ByteType, vector: TinyIntVector) => new ByteColumn(vector)
    case (ShortType, vector: SmallIntVector) => new ShortColumn(vector)
    case (IntegerType | DateType | _: YearMonthIntervalType, vector: BaseFixedWidthVector) =>
      new IntColumn(vector)
    case (
          LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType,
          vector: BaseFixedWidthVector) =>
      new LongColumn(vector)
    case (FloatType, vector: Float4Vector) => new FloatColumn(vector)
    case (DoubleType, vector: Float8Vector) => new DoubleColumn(vector)
    case (decimal: DecimalType, vector: DecimalVector) => new DecimalColumn(decimal, vector)
    case (_: StringType, vector: VarCharVector) => new StringColumn(vector)
    case (BinaryType, vector: VarBinaryVector) => new BinaryColumn(vector)
    case (NullType, vector: NullVector) => new NullColumn(vector)
  }
}
