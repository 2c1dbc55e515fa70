package org.apache.spark.sql.broadhead.execution

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, DataOutputStream, IOException}
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.arrow.memory.BufferAllocator

import org.apache.spark.TaskContext
import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame, RowBatches}
import org.apache.spark.sql.broadhead.encoding.TypeNames
import org.apache.spark.sql.broadhead.evaluation.{ExpressionEvaluation, SparkEvaluation}
import org.apache.spark.sql.broadhead.sockets.SocketService
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Values of the expressions and aggregates that a fragment leaves to Spark.
 *
 * A request has the number of the evaluation, the length of an Arrow message, and the message
 * with its inputs. A response has Arrow messages with the values, each after its length, and then
 * 0; or, after some of them, -1, the length of an error's text, and the text.
 */
private[broadhead] class EvaluatedExpressions(
    evaluations: IndexedSeq[SparkEvaluation],
    context: TaskContext)
    extends SocketService {
  import EvaluatedExpressions._

  override def isConcurrent: Boolean = true

  override def send(channel: SocketChannel): Unit = {
    // Expressions read the session's settings by the task.
    TaskContext.setTaskContext(context)
    val allocator = ArrowLayout.newAllocator("expressions")
    val evaluators = mutable.Map.empty[Int, Evaluator]
    try {
      val in = new DataInputStream(
        new BufferedInputStream(Channels.newInputStream(channel), BufferBytes))
      val out = new DataOutputStream(
        new BufferedOutputStream(Channels.newOutputStream(channel), BufferBytes))
      while (true) {
        val number = in.readInt()
        val message = in.readNBytes(in.readInt())
        answer(
          out,
          evaluators
            .getOrElseUpdate(number, new Evaluator(evaluations(number), allocator))
            .values(message))
      }
    } finally {
      evaluators.values.foreach(_.close())
      ArrowLayout.close(allocator)
      TaskContext.unset()
    }
  }

  private def answer(out: DataOutputStream, values: => Iterator[Array[Byte]]): Unit = {
    try {
      values.foreach { message =>
        out.writeInt(message.length)
        out.write(message)
      }
      out.writeInt(End)
    } catch {
      case stopped: IOException => throw stopped
      case NonFatal(error) =>
        val text = error.toString.getBytes(UTF_8)
        out.writeInt(Failed)
        out.writeInt(text.length)
        out.write(text)
    }
    out.flush()
  }
}

private object EvaluatedExpressions {
  private val End = 0
  private val Failed = -1
  private val BufferBytes = 1 << 16
}

/** One evaluation in one thread. */
private class Evaluator(evaluation: SparkEvaluation, allocator: BufferAllocator)
    extends AutoCloseable {
  private val inputs = new BatchDecoder(evaluation.inputSchema, allocator)
  private val computation = evaluation.start()

  /**
   * Spark's functions of nested values find nulls only in its own rows. Aggregates may keep a
   * value until the next one.
   */
  private val ownRows = {
    val plain = evaluation match {
      case _: ExpressionEvaluation =>
        evaluation.inputs.forall(i => !TypeNames.isNested(i.dataType))
      case _ => evaluation.inputs.forall(input => UnsafeRow.isFixedLength(input.dataType))
    }
    if (plain) None else Some(UnsafeProjection.create(evaluation.inputSchema))
  }
  private var written: Option[RowBatches] = None

  /** The values for the rows of a message, as messages; all are read before the next call. */
  def values(message: Array[Byte]): Iterator[Array[Byte]] = {
    val batch = inputs.decode(message)
    val read: Iterator[InternalRow] = batch.rowIterator().asScala
    val rows = computation.results(ownRows.fold(read)(read.map(_)), batch.numRows())
    written.foreach(_.close())
    written = None
    val most = math.max(batch.numRows(), 1)
    val batches = new RowBatches(rows, evaluation.outputSchema, most, allocator)
    written = Some(batches)
    batches.map(Frame.message)
  }

  override def close(): Unit = {
    written.foreach(_.close())
    inputs.close()
  }
}
