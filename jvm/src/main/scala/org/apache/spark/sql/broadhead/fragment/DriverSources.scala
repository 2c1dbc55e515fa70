package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.{Dependency, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.execution.{FragmentPartition, ShuffleRange, SourceLayout}

/**
 * The data of a source on the driver.
 *
 * @param rows its RDD, if it is one of Spark's rows
 * @param blocks its blocks, if it is a shuffle
 */
private[broadhead] case class SourceData(
    layout: SourceLayout,
    rows: Option[RunningSource] = None,
    blocks: Option[SourceBlocks] = None)

/** The blocks of a shuffle to read, for each partition, and the dependency on its map side. */
private[broadhead] case class SourceBlocks(
    ranges: Seq[ShuffleRange],
    dependency: ShuffleDependency[_, _, _])

/**
 * The data of a fragment's sources on the driver, by the source's number.
 *
 * @param nodes node id of each source
 */
private[broadhead] case class DriverSources(
    nodes: Map[Int, Int],
    layouts: Seq[SourceLayout],
    rows: Map[Int, RunningSource],
    shuffles: Map[Int, SourceBlocks]) {

  /** Number of partitions by node id, of the partitioned sources. */
  def partitionCounts: Map[Int, Int] =
    rows.map { case (number, source) => nodes(number) -> source.rdd.getNumPartitions } ++
      shuffles.map { case (number, blocks) => nodes(number) -> blocks.ranges.length }

  /** The RDD of each source of rows, by its number. */
  def rdds: Map[Int, RDD[_]] = rows.foldLeft(Map.empty[Int, RDD[_]]) {
    case (found, (number, source)) => found.updated(number, source.rdd)
  }

  def dependencies(tasks: Seq[FragmentPartition]): Seq[Dependency[_]] =
    rows.toSeq.map { case (number, source) =>
      new MembersDependency(source.rdd, tasks.map(_.rows.getOrElse(number, Nil).map(_.index)))
    } ++ shuffles.values.map(_.dependency)
}

private[broadhead] object DriverSources {

  /** The sources of a fragment, with their partitions. */
  def collect(fragment: EncodedFragment): DriverSources = {
    val found = fragment.sources.map { case (node, source) => source.data(node) }.zipWithIndex
    DriverSources(
      fragment.sources.map(_._1).zipWithIndex.map(_.swap).toMap,
      found.map(_._1.layout),
      found.flatMap { case (data, number) => data.rows.map(number -> _) }.toMap,
      found.flatMap { case (data, number) => data.blocks.map(number -> _) }.toMap)
  }
}
