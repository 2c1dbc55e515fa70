package org.apache.spark.sql.broadhead

import org.apache.spark.{Dependency, Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.{DeterministicLevel, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The batches of a fragment.
 *
 * @param sources what the JVM sends: rows or batches, as the program says
 * @param replay Spark's own operators for the fragment
 */
private[broadhead] class FragmentRDD(
    context: SparkContext,
    program: FragmentProgram,
    sources: Seq[RDD[_]],
    replay: RDD[InternalRow],
    dependencies: Seq[Dependency[_]],
    @transient private val tasks: Array[FragmentPartition])
    extends RDD[ColumnarBatch](context, dependencies) {

  override protected def getPartitions: Array[Partition] = tasks.asInstanceOf[Array[Partition]]

  override protected def getOutputDeterministicLevel: DeterministicLevel.Value = {
    val inherited = super.getOutputDeterministicLevel
    // A replayed aggregation gives its groups in another order than the engine.
    if (program.rowsInOrder || inherited == DeterministicLevel.INDETERMINATE) inherited
    else DeterministicLevel.UNORDERED
  }

  /** Whether rows come again as they came, so that a task may go on after rows it has given. */
  private val repeatable =
    program.rowsInOrder && replay.outputDeterministicLevel == DeterministicLevel.DETERMINATE

  override def compute(split: Partition, task: TaskContext): Iterator[ColumnarBatch] = {
    val partition = split.asInstanceOf[FragmentPartition]
    val inputs = FragmentInputs(
      sources.zip(partition.sources).map { case (rdd, part) => () => rdd.iterator(part, task) },
      () => partition.replays.iterator.flatMap(replay.iterator(_, task)))
    new FragmentTask(program, partition, inputs, repeatable, task)
  }
}

/**
 * Where a task's rows come from, each opened when it is needed.
 *
 * @param sources rows or batches of each row source
 * @param replay the rows that Spark's own operators give
 */
private[broadhead] case class FragmentInputs(
    sources: Seq[() => Iterator[Any]],
    replay: () => Iterator[InternalRow])
