package org.apache.spark.sql.broadhead.fragment

import scala.reflect.ClassTag

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.{DeterministicLevel, RDD}
import org.apache.spark.scheduler.TaskSchedulerImpl
import org.apache.spark.sql.broadhead.execution.{Delivery, FragmentInputs, FragmentPartition, FragmentProgram, FragmentTask, FrameTask}
import org.apache.spark.sql.broadhead.results.ResultLimits
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The output of a fragment, task by task. */
private[broadhead] abstract class EngineRDD[T: ClassTag](
    context: SparkContext,
    prepared: PreparedFragment)
    extends RDD[T](context, prepared.dependencies) {
  protected val program: FragmentProgram = prepared.program
  private val rows = prepared.rows
  protected val replay: Option[Replay] = prepared.replay
  @transient private val tasks = prepared.partitions.toArray[Partition]

  override protected def getPartitions: Array[Partition] = tasks

  override protected def getOutputDeterministicLevel: DeterministicLevel.Value = {
    val inherited = super.getOutputDeterministicLevel
    inherited match {
      case DeterministicLevel.UNORDERED if program.dependsOnOrder =>
        DeterministicLevel.INDETERMINATE
      // A replayed aggregation returns its groups in another order than the engine.
      case DeterministicLevel.DETERMINATE if !program.rowsInOrder => DeterministicLevel.UNORDERED
      case level => level
    }
  }

  /**
   * Whether a repeated task returns the same rows in the same order, so that it may continue
   * after delivered rows.
   */
  protected val repeatable: Boolean =
    replay.isDefined && outputDeterministicLevel == DeterministicLevel.DETERMINATE

  override protected def getPreferredLocations(split: Partition): Seq[String] = {
    val files = split.asInstanceOf[FragmentPartition].files.values.flatten.toArray
    FilePartition(split.index, files).preferredLocations().toSeq
  }

  protected def inputs(partition: FragmentPartition, task: TaskContext): FragmentInputs =
    FragmentInputs(
      rows.map { case (number, rdd) =>
        val parts = partition.rows.getOrElse(number, Nil)
        number -> (() => parts.iterator.flatMap(rdd.iterator(_, task)))
      },
      replay.map(operators => () => operators.rows(partition.replays, task)))
}

/** The batches of a fragment. */
private[broadhead] class FragmentRDD(context: SparkContext, fragment: PreparedFragment)
    extends EngineRDD[ColumnarBatch](context, fragment) {

  /** Only the driver knows how often a task may fail. */
  private val delivery: Delivery = Delivery.Batches(
    repeatable,
    onlyAttempt = context.taskScheduler match {
      case scheduler: TaskSchedulerImpl => scheduler.maxTaskFailures == 1
      case _ => false
    })

  override def compute(split: Partition, task: TaskContext): Iterator[ColumnarBatch] = {
    val partition = split.asInstanceOf[FragmentPartition]
    new FragmentTask(program, partition, inputs(partition, task), delivery, task)
  }

  /** What a function makes of a task. */
  def made[T](split: Partition, task: TaskContext)(
      make: (FragmentProgram, FragmentPartition, FragmentInputs) => T): T = {
    val partition = split.asInstanceOf[FragmentPartition]
    make(program, partition, inputs(partition, task))
  }

  /** The columns of the batches. */
  def output: StructType = program.output

  /** Whether Spark has operators that return the same rows. */
  def hasReplay: Boolean = replay.isDefined

  /** A task's batches as Arrow messages within the limits, or Spark's rows if the engine fails. */
  def messages(
      split: Partition,
      task: TaskContext,
      limits: ResultLimits): Either[Iterator[InternalRow], Iterator[Array[Byte]]] = {
    val partition = split.asInstanceOf[FragmentPartition]
    val asked = program.copy(limits = Some(limits))
    new FrameTask(asked, partition, inputs(partition, task), task).messagesOrRows
  }
}

/** The batches of a fragment as Arrow messages. */
private[broadhead] class FrameRDD(context: SparkContext, fragment: PreparedFragment)
    extends EngineRDD[Array[Byte]](context, fragment) {

  override def compute(split: Partition, task: TaskContext): Iterator[Array[Byte]] = {
    val partition = split.asInstanceOf[FragmentPartition]
    new FrameTask(program, partition, inputs(partition, task), task).messages
  }
}
