package org.apache.spark.sql.broadhead.arrow

import org.apache.arrow.vector.VectorSchemaRoot

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.arrow.ArrowWriter
import org.apache.spark.sql.types.StructType

/** Writes rows into the vectors of a root, which holds them after `finish` and until `reset`. */
private[arrow] trait RowWriter {
  def write(row: InternalRow): Unit
  def finish(): Unit
  def reset(): Unit
}

private[arrow] object RowWriter {

  def apply(root: VectorSchemaRoot, schema: StructType): RowWriter =
    FlatRowWriter.of(root, schema).getOrElse(new NestedRowWriter(root))

  /** Spark's writer, which knows all types. */
  private class NestedRowWriter(root: VectorSchemaRoot) extends RowWriter {
    private val writer = ArrowWriter.create(root)

    override def write(row: InternalRow): Unit = writer.write(row)

    override def finish(): Unit = writer.finish()

    override def reset(): Unit = writer.reset()
  }
}
