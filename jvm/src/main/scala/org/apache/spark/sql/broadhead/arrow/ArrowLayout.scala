package org.apache.spark.sql.broadhead.arrow

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.complex.MapVector
import org.apache.arrow.vector.types.{DateUnit, FloatingPointPrecision, IntervalUnit, TimeUnit}
import org.apache.arrow.vector.types.pojo.{ArrowType, Field, FieldType, Schema}
import org.apache.arrow.vector.{ValueVector, VectorSchemaRoot}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.ArrowUtils
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnarBatch, ColumnVector}

/**
 * The Arrow layout of Spark's rows between the JVM and the engine.
 *
 * It equals that of Spark's `ArrowUtils.toArrowSchema`, whose parameters differ between Spark's
 * versions. It is part of the wire format, so it is defined here.
 */
private[broadhead] object ArrowLayout extends Logging {

  def schema(rows: StructType): Schema = new Schema(fields(rows).asJava)

  /** Fields are resolved by position: names may repeat, which Arrow's structs do not allow. */
  private def fields(rows: StructType): Seq[Field] = rows.fields.toSeq.zipWithIndex.map {
    case (column, ordinal) => field(s"_$ordinal", column.dataType, column.nullable)
  }

  private def field(name: String, dataType: DataType, nullable: Boolean): Field = {
    val children = dataType match {
      case ArrayType(element, containsNull) => Seq(field("element", element, containsNull))
      case struct: StructType => fields(struct)
      case MapType(key, value, containsNull) =>
        // Arrow's own names, by which Spark finds them
        val entry = Seq(
          field(MapVector.KEY_NAME, key, nullable = false),
          field(MapVector.VALUE_NAME, value, containsNull))
        val struct = new FieldType(false, ArrowType.Struct.INSTANCE, null)
        Seq(new Field(MapVector.DATA_VECTOR_NAME, struct, entry.asJava))
      case _ => Nil
    }
    // Arrow has no column of nulls that is never null; `array()` is an array of these.
    val nulls = nullable || dataType == NullType
    new Field(name, new FieldType(nulls, arrowType(dataType), null), children.asJava)
  }

  private def arrowType(dataType: DataType): ArrowType = dataType match {
    case decimal: DecimalType => new ArrowType.Decimal(decimal.precision, decimal.scale, 128)
    case _: StringType => ArrowType.Utf8.INSTANCE
    case _: ArrayType => ArrowType.List.INSTANCE
    case _: StructType => ArrowType.Struct.INSTANCE
    case _: MapType => new ArrowType.Map(false)
    case _: YearMonthIntervalType => new ArrowType.Interval(IntervalUnit.YEAR_MONTH)
    case _: DayTimeIntervalType => new ArrowType.Duration(TimeUnit.MICROSECOND)
    case other =>
      simpleTypes.getOrElse(
        other,
        throw new IllegalArgumentException(s"the wire format has no layout for ${other.sql}"))
  }

  private val simpleTypes: Map[DataType, ArrowType] = Map(
    BooleanType -> ArrowType.Bool.INSTANCE,
    ByteType -> new ArrowType.Int(8, true),
    ShortType -> new ArrowType.Int(16, true),
    IntegerType -> new ArrowType.Int(32, true),
    LongType -> new ArrowType.Int(64, true),
    FloatType -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE),
    DoubleType -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE),
    BinaryType -> ArrowType.Binary.INSTANCE,
    DateType -> new ArrowType.Date(DateUnit.DAY),
    TimestampType -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"),
    TimestampNTZType -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null),
    NullType -> ArrowType.Null.INSTANCE)

  def root(rows: StructType, allocator: BufferAllocator): VectorSchemaRoot =
    VectorSchemaRoot.create(schema(rows), allocator)

  def batch(root: VectorSchemaRoot): ColumnarBatch = {
    val columns = root.getFieldVectors.asScala.map(new LentColumn(_): ColumnVector)
    new ColumnarBatch(columns.toArray, root.getRowCount)
  }

  /**
   * A column whose vector stays owned by its root: Spark closes the columns it has read, and a
   * closed Arrow struct loses its children, although the next batch is loaded into them.
   */
  private class LentColumn(vector: ValueVector) extends ArrowColumnVector(vector) {
    // Spark asks for each value; Arrow would read its bit.
    private val hasNulls = super.hasNull

    override def hasNull: Boolean = hasNulls

    override def isNullAt(row: Int): Boolean = hasNulls && super.isNullAt(row)

    override def close(): Unit = ()
  }

  /** Whether two fields have the same bytes for the same values. */
  def sameLayout(left: Field, right: Field): Boolean = {
    val children = left.getChildren.asScala.zip(right.getChildren.asScala)
    val sameType = (left.getType, right.getType) match {
      // The name of a zone does not change the bytes.
      case (a: ArrowType.Timestamp, b: ArrowType.Timestamp) => a.getUnit == b.getUnit
      case (a, b) => a == b
    }
    sameType && left.getDictionary == null && right.getDictionary == null &&
    left.getChildren.size == right.getChildren.size &&
    children.forall { case (a, b) => sameLayout(a, b) }
  }

  def newAllocator(name: String): BufferAllocator =
    ArrowUtils.rootAllocator.newChildAllocator(s"broadhead $name", 0, Long.MaxValue)

  /** A buffer that is still in use causes a warning, not an error of the user's query. */
  def close(allocator: BufferAllocator): Unit =
    try allocator.close()
    catch {
      case leak: IllegalStateException =>
        logWarning(s"${allocator.getName} was closed with memory in use", leak)
    }
}
