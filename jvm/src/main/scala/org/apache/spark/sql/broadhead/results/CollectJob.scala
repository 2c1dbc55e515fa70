package org.apache.spark.sql.broadhead.results

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.TaskContext

/**
 * Jobs that return rows to the driver.
 *
 * `RDD.collect` makes Spark analyse the bytecode of its closures each time, which takes
 * milliseconds on the driver. A function that is an object of a named class is used unchanged.
 */
private[broadhead] object CollectJob {

  /** The elements of all partitions, in their order. */
  def run[T: ClassTag](rdd: RDD[T]): Array[T] = {
    val parts = new Array[Array[T]](rdd.getNumPartitions)
    foreachPartition(rdd)((number, part) => parts(number) = part)
    Array.concat(parts.toList: _*)
  }

  /** Passes each partition's content, with its number, as it arrives. */
  def foreachPartition[T: ClassTag](rdd: RDD[T])(take: (Int, Array[T]) => Unit): Unit =
    rdd.context.runJob(rdd, new ContentOfPartition[T], rdd.partitions.indices, take)
}

private class ContentOfPartition[T: ClassTag]
    extends ((TaskContext, Iterator[T]) => Array[T])
    with Serializable {

  override def apply(context: TaskContext, rows: Iterator[T]): Array[T] = rows.toArray
}
