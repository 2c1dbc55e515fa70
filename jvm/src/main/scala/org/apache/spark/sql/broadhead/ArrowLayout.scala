package org.apache.spark.sql.broadhead

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.types.pojo.{Field, Schema}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.ArrowUtils
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnarBatch, ColumnVector}

/** How rows of Spark lie in Arrow where they cross between the JVM and the engine. */
private[broadhead] object ArrowLayout extends Logging {

  /** Columns go by position, so equal names are no error; zone names do not change the bytes. */
  def schema(rows: StructType): Schema = {
    val named = StructType(rows.fields.zipWithIndex.map { case (field, ordinal) =>
      field.copy(name = s"_$ordinal")
    })
    ArrowUtils.toArrowSchema(named, "UTC", errorOnDuplicatedFieldNames = false,
      largeVarTypes = false)
  }

  def root(rows: StructType, allocator: BufferAllocator): VectorSchemaRoot =
    VectorSchemaRoot.create(schema(rows), allocator)

  def batch(root: VectorSchemaRoot): ColumnarBatch = {
    val columns = root.getFieldVectors.asScala.map(new ArrowColumnVector(_): ColumnVector)
    new ColumnarBatch(columns.toArray, root.getRowCount)
  }

  /** Whether two fields have the same bytes for the same values. */
  def sameLayout(left: Field, right: Field): Boolean = {
    val children = left.getChildren.asScala.zip(right.getChildren.asScala)
    val sameType = (left.getType, right.getType) match {
      case (a: org.apache.arrow.vector.types.pojo.ArrowType.Timestamp,
          b: org.apache.arrow.vector.types.pojo.ArrowType.Timestamp) => a.getUnit == b.getUnit
      case (a, b) => a == b
    }
    sameType && left.getDictionary == null && right.getDictionary == null &&
    left.getChildren.size == right.getChildren.size &&
    children.forall { case (a, b) => sameLayout(a, b) }
  }

  def newAllocator(name: String): BufferAllocator =
    ArrowUtils.rootAllocator.newChildAllocator(s"broadhead $name", 0, Long.MaxValue)

  /** A buffer that some consumer still holds is worth a warning, not the user's query. */
  def close(allocator: BufferAllocator): Unit =
    try allocator.close()
    catch {
      case leak: IllegalStateException =>
        logWarning(s"${allocator.getName} was closed with memory in use", leak)
    }
}
