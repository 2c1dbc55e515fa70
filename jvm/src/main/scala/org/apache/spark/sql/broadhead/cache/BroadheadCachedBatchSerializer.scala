package org.apache.spark.sql.broadhead.cache

import io.broadhead.Settings
import org.apache.arrow.vector.VectorSchemaRoot

import org.apache.spark.rdd.RDD
import org.apache.spark.SparkConf
import org.apache.spark.sql.broadhead.arrow.{ColumnBatches, RowBatches, TaskMemory}
import org.apache.spark.sql.broadhead.encoding.TypeNames
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.columnar.{CachedBatch, SimpleMetricsCachedBatchSerializer}
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.{DefaultCachedBatchSerializer, InMemoryTableScanExec}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.storage.StorageLevel

/**
 * Stores cached tables as Arrow, so that fragments write and read them without rows.
 *
 * Tables with a column of a type without an Arrow layout are stored in Spark's own format.
 */
class BroadheadCachedBatchSerializer extends SimpleMetricsCachedBatchSerializer {
  import BroadheadCachedBatchSerializer._

  private val sparks = new DefaultCachedBatchSerializer

  /**
   * Adaptive plans claim columnar output whatever their operators return: Spark then converts
   * rows, which it supports for some types only.
   */
  override def supportsColumnarInput(schema: Seq[Attribute]): Boolean =
    schema.forall(a => TypeNames.leaves(a.dataType).forall(isMadeOfRows)) &&
      (holds(schema) || sparks.supportsColumnarInput(schema))

  override def supportsColumnarOutput(schema: StructType): Boolean =
    schema.forall(field => isHeld(field.dataType)) || sparks.supportsColumnarOutput(schema)

  override def convertInternalRowToCachedBatch(
      input: RDD[InternalRow],
      schema: Seq[Attribute],
      storageLevel: StorageLevel,
      conf: SQLConf): RDD[CachedBatch] =
    if (holds(schema)) {
      val layout = CacheLayout.of(schema, conf)
      input.mapPartitionsInternal(layout.fromRows)
    } else {
      sparks.convertInternalRowToCachedBatch(input, schema, storageLevel, conf)
    }

  override def convertColumnarBatchToCachedBatch(
      input: RDD[ColumnarBatch],
      schema: Seq[Attribute],
      storageLevel: StorageLevel,
      conf: SQLConf): RDD[CachedBatch] =
    if (holds(schema)) {
      val layout = CacheLayout.of(schema, conf)
      input.mapPartitionsInternal(layout.fromColumns)
    } else {
      sparks.convertColumnarBatchToCachedBatch(input, schema, storageLevel, conf)
    }

  override def convertCachedBatchToColumnarBatch(
      input: RDD[CachedBatch],
      cacheAttributes: Seq[Attribute],
      selectedAttributes: Seq[Attribute],
      conf: SQLConf): RDD[ColumnarBatch] =
    if (holds(cacheAttributes)) {
      val selection = CacheSelection.of(cacheAttributes, selectedAttributes)
      input.mapPartitionsInternal(selection.columns)
    } else {
      sparks.convertCachedBatchToColumnarBatch(input, cacheAttributes, selectedAttributes, conf)
    }

  override def convertCachedBatchToInternalRow(
      input: RDD[CachedBatch],
      cacheAttributes: Seq[Attribute],
      selectedAttributes: Seq[Attribute],
      conf: SQLConf): RDD[InternalRow] =
    if (holds(cacheAttributes)) {
      val selection = CacheSelection.of(cacheAttributes, selectedAttributes)
      input.mapPartitionsInternal(selection.rows)
    } else {
      sparks.convertCachedBatchToInternalRow(input, cacheAttributes, selectedAttributes, conf)
    }

  /** Skips comparisons of columns without bounds: all of their batches may contain a match. */
  override def buildFilter(
      predicates: Seq[Expression],
      cachedAttributes: Seq[Attribute]): (Int, Iterator[CachedBatch]) => Iterator[CachedBatch] = {
    val usable =
      if (holds(cachedAttributes)) {
        predicates.filter(_.references.forall(a => ColumnStatistics.hasBounds(a.dataType)))
      } else {
        predicates
      }
    super.buildFilter(usable, cachedAttributes)
  }
}

private[broadhead] object BroadheadCachedBatchSerializer {

  /**
   * Makes it the application's serializer of cached tables, unless the user has chosen one or has
   * set Kryo to require registered classes.
   */
  def install(conf: SparkConf): Unit = {
    val key = StaticSQLConf.SPARK_CACHE_SERIALIZER.key
    val refused = conf.getBoolean("spark.kryo.registrationRequired", false)
    if (!conf.contains(key) && !refused) {
      conf.set(key, classOf[BroadheadCachedBatchSerializer].getName)
    }
  }

  /** Whether a table with these columns is stored as Arrow. */
  def holds(schema: Seq[Attribute]): Boolean = schema.forall(a => isHeld(a.dataType))

  private def isHeld(dataType: DataType): Boolean = TypeNames.leaves(dataType).forall {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        BinaryType | DateType | TimestampType | TimestampNTZType | NullType =>
      true
    case _: StringType | _: DecimalType | _: YearMonthIntervalType | _: DayTimeIntervalType =>
      true
    case _ => false
  }

  /** Whether Spark's `RowToColumnarExec` supports a type that is not nested. */
  private def isMadeOfRows(leaf: DataType): Boolean = leaf match {
    case NullType | _: CharType | _: VarcharType => false
    case _ => true
  }
}

/** Cached tables that return Arrow without a conversion from rows. */
private[broadhead] object CachedArrow {

  def isGivenBy(plan: SparkPlan): Boolean = plan match {
    case scan: InMemoryTableScanExec =>
      val relation = scan.relation
      relation.cacheBuilder.serializer.isInstanceOf[BroadheadCachedBatchSerializer] &&
      BroadheadCachedBatchSerializer.holds(relation.output) && scan.supportsColumnar
    case stage: TableCacheQueryStageExec => isGivenBy(stage.plan)
    case _ => false
  }
}

/** The layout of a cached table's batches. */
private case class CacheLayout(schema: StructType, batchRows: Int, compress: Boolean) {

  def fromRows(rows: Iterator[InternalRow]): Iterator[CachedBatch] = {
    val writer = new CachedBatchWriter(schema, compress)
    RowBatches.ofTask(rows, schema, batchRows, "cache").map(writer.write)
  }

  def fromColumns(input: Iterator[ColumnarBatch]): Iterator[CachedBatch] = {
    val columns = new ColumnBatches(schema, TaskMemory.allocator("cache"))
    val writer = new CachedBatchWriter(schema, compress)
    input.filter(_.numRows() > 0).flatMap { batch =>
      columns.withRoot(batch)(root => slices(root, writer)).iterator
    }
  }

  private def slices(root: VectorSchemaRoot, writer: CachedBatchWriter): Seq[CachedBatch] =
    if (root.getRowCount <= batchRows) {
      Seq(writer.write(root))
    } else {
      Range(0, root.getRowCount, batchRows).map { start =>
        val slice = root.slice(start, Math.min(batchRows, root.getRowCount - start))
        try writer.write(slice)
        finally slice.close()
      }
    }
}

private object CacheLayout {

  /** Spark's own key for the size of batches has priority if the user has set it. */
  def of(schema: Seq[Attribute], conf: SQLConf): CacheLayout = {
    val key = SQLConf.COLUMN_BATCH_SIZE
    val rows = if (conf.contains(key.key)) conf.getConf(key) else new Settings(conf).batchRows
    CacheLayout(DataTypeUtils.fromAttributes(schema), rows, conf.useCompression)
  }
}

/** The columns that a query reads of a cached table. */
private case class CacheSelection(schema: StructType, ordinals: Seq[Int], selected: StructType) {

  def columns(batches: Iterator[CachedBatch]): Iterator[ColumnarBatch] = {
    val reader = new CachedBatchReader(schema, ordinals, TaskMemory.allocator("cache read"))
    TaskMemory.closeAtEnd(reader)
    batches.map {
      case batch: ArrowCachedBatch => reader.read(batch)
      case other =>
        throw new IllegalStateException(s"${other.getClass.getName} is not an Arrow batch")
    }
  }

  def rows(batches: Iterator[CachedBatch]): Iterator[InternalRow] = {
    val toUnsafe = UnsafeProjection.create(selected)
    columns(batches).flatMap { batch =>
      val rows = batch.rowIterator()
      new Iterator[InternalRow] {
        override def hasNext: Boolean = rows.hasNext
        override def next(): InternalRow = toUnsafe(rows.next())
      }
    }
  }
}

private object CacheSelection {

  def of(cached: Seq[Attribute], selected: Seq[Attribute]): CacheSelection = CacheSelection(
    DataTypeUtils.fromAttributes(cached),
    selected.map(attribute => cached.indexWhere(_.exprId == attribute.exprId)),
    DataTypeUtils.fromAttributes(selected))
}
