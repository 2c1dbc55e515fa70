package org.apache.spark.sql.broadhead.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.broadhead.broadcast.{BroadcastContent, BroadcastServer}
import org.apache.spark.sql.types.StructType

/** The layout of a source's data. */
private[broadhead] trait SourceLayout extends Serializable {

  /** The data of a task, in the task; `number` is that of the source. */
  def open(
      partition: FragmentPartition,
      number: Int,
      inputs: FragmentInputs,
      context: TaskContext): TaskSource

  /** Bytes that a task reads; None if that is not known before. */
  def bytes(partition: FragmentPartition, number: Int): Option[Long]
}

/** Rows or columnar batches from the JVM. */
private[broadhead] case class RowSourceLayout(schema: StructType, columnar: Boolean)
    extends SourceLayout {

  override def open(
      partition: FragmentPartition,
      number: Int,
      inputs: FragmentInputs,
      context: TaskContext): TaskSource = RowsOfTask(this, inputs.rows(number))

  override def bytes(partition: FragmentPartition, number: Int): Option[Long] = None
}

/** Rows that every task reads. */
private[broadhead] case class BroadcastLayout(content: BroadcastContent) extends SourceLayout {

  override def open(
      partition: FragmentPartition,
      number: Int,
      inputs: FragmentInputs,
      context: TaskContext): TaskSource = {
    BroadcastServer.offer(content, context)
    BroadcastOfTask(content)
  }

  override def bytes(partition: FragmentPartition, number: Int): Option[Long] =
    Some(content.bytes)
}
