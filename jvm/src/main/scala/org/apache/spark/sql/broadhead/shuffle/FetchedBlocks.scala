package org.apache.spark.sql.broadhead.shuffle

import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer

import scala.collection.mutable
import scala.reflect.ClassTag
import scala.util.control.NonFatal

import org.apache.spark.network.buffer.FileSegmentManagedBuffer
import org.apache.spark.serializer._
import org.apache.spark.shuffle.{BaseShuffleHandle, BlockStoreShuffleReader, FetchFailedException, IndexShuffleBlockResolver}
import org.apache.spark.shuffle.sort.SortShuffleManager
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.broadhead.execution.{ShuffleBlocksOfTask, ShuffleRange, ShuffleSegment}
import org.apache.spark.sql.broadhead.gpu.KeptBlocks
import org.apache.spark.sql.broadhead.replay.DamagedBlock
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.execution.metric.SQLShuffleReadMetricsReporter
import org.apache.spark.storage._

/** The shuffle blocks of a task: files on this host by name, others through Spark's transfer. */
private[broadhead] class FetchedBlocks(
    layout: ShuffleLayout,
    ranges: Seq[ShuffleRange],
    context: TaskContext)
    extends ShuffleBlocksOfTask {
  import FetchedBlocks._

  private val environment = SparkEnv.get
  private val shuffleId = layout.handle.shuffleId
  private val reporter = new SQLShuffleReadMetricsReporter(
    context.taskMetrics().createTempShuffleReadMetrics(),
    layout.metrics)

  private val (here, elsewhere) = ranges
    .flatMap { range =>
      environment.mapOutputTracker.getMapSizesByExecutorId(
        shuffleId,
        range.startMap,
        range.endMap,
        range.startReduce,
        range.endReduce)
    }
    .partition { case (address, _) =>
      address.executorId == environment.blockManager.blockManagerId.executorId
    }

  override val node: Int = layout.node

  private var located: Seq[LocalSegment] = locateAll()

  override def segments: Seq[LocalSegment] = located

  override def needFiles(): Unit = {
    val kept = located.filter(_.kept.isDefined)
    kept.foreach { segment =>
      try KeptBlocks.writeFile(segment.path, shuffleId, segment.run.mapId, resolver)
      catch { case NonFatal(error) => throw segment.failure(error) }
    }
    if (kept.nonEmpty) located = locateAll()
  }

  private def locateAll(): Seq[LocalSegment] =
    here.flatMap { case (address, blocks) => contiguous(blocks).map(locate(address, _)) }

  private def resolver: IndexShuffleBlockResolver =
    environment.shuffleManager.asInstanceOf[SortShuffleManager].shuffleBlockResolver

  override def remote: Iterator[Array[Byte]] =
    if (elsewhere.isEmpty) {
      Iterator.empty
    } else {
      new BlockStoreShuffleReader(
        layout.handle.asInstanceOf[BaseShuffleHandle[Int, Array[Byte], Array[Byte]]],
        elsewhere.iterator,
        context,
        reporter,
        new CheckedBlockManager(environment.conf),
        environment.blockManager,
        environment.mapOutputTracker,
        false).read().map(_._2)
    }

  override def rowsRead(count: Long): Unit = reporter.incRecordsRead(count)

  override def throwFetchFailure(block: DamagedBlock, cause: Throwable): Unit =
    segments
      .find { segment =>
        segment.path == block.path && block.offset >= segment.offset &&
        block.offset < segment.offset + segment.length
      }
      .foreach(segment => throw segment.failure(cause))

  /** Ranges of adjacent partitions of one map task, which are adjacent in its file. */
  private def contiguous(blocks: collection.Seq[TrackedBlock]): Seq[Run] = {
    val runs = mutable.ArrayBuffer.empty[Run]
    blocks.foreach {
      case (ShuffleBlockId(_, mapId, reduce), _, mapIndex) =>
        runs.lastOption match {
          case Some(last) if last.mapId == mapId && last.end <= reduce =>
            runs(runs.length - 1) = last.copy(end = reduce + 1)
          case _ => runs += Run(mapId, mapIndex, reduce, reduce + 1)
        }
      case (other, _, _) =>
        throw new IllegalStateException(s"$other is not a shuffle block of the engine")
    }
    runs.toSeq
  }

  private def locate(address: BlockManagerId, run: Run): LocalSegment = {
    val block = ShuffleBlockBatchId(shuffleId, run.mapId, run.start, run.end)
    try {
      resolver.getBlockData(block, None) match {
        case file: FileSegmentManagedBuffer =>
          reporter.incLocalBlocksFetched((run.end - run.start).toLong)
          reporter.incLocalBytesRead(file.getLength)
          KeptBlocks.use(file.getFile.getPath, context)
          LocalSegment(file, address, shuffleId, run)
        case other =>
          throw new IllegalStateException(
            s"$block has the unknown buffer class ${other.getClass.getName}")
      }
    } catch {
      case NonFatal(error) => throw fetchFailure(address, shuffleId, run, error)
    }
  }
}

private[broadhead] object FetchedBlocks {
  type TrackedBlock = (BlockId, Long, Int)

  /** Partitions of one map task; the tracker does not list empty partitions between them. */
  case class Run(mapId: Long, mapIndex: Int, start: Int, end: Int)

  case class LocalSegment(
      file: FileSegmentManagedBuffer,
      address: BlockManagerId,
      shuffleId: Int,
      run: Run)
      extends ShuffleSegment {
    override def path: String = file.getFile.getPath

    override def offset: Long = file.getOffset

    override def length: Long = file.getLength

    override val kept: Option[(Int, Int)] =
      Optional.when(KeptBlocks.contain(path))((run.start, run.end))

    def open(): InputStream = file.createInputStream()

    def failure(cause: Throwable): FetchFailedException =
      fetchFailure(address, shuffleId, run, cause)
  }

  private def fetchFailure(address: BlockManagerId, shuffleId: Int, run: Run, cause: Throwable) =
    new FetchFailedException(address, shuffleId, run.mapId, run.mapIndex, run.start, cause)
}

/** Returns the bytes of a block as its one value; it is never used for writing. */
private[broadhead] class BlockSerializer extends Serializer with Serializable {
  override def newInstance(): SerializerInstance = new SerializerInstance {
    override def deserializeStream(stream: InputStream): DeserializationStream =
      new BlockStream(stream)

    override def serializeStream(stream: OutputStream): SerializationStream = refuse()

    override def serialize[T: ClassTag](value: T): ByteBuffer = refuse()

    override def deserialize[T: ClassTag](bytes: ByteBuffer): T = refuse()

    override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T = refuse()
  }

  override def supportsRelocationOfSerializedObjects: Boolean = true

  private def refuse(): Nothing =
    throw new UnsupportedOperationException(
      "these blocks can only be written and decoded as whole files")
}

private class BlockStream(stream: InputStream) extends DeserializationStream {
  override def asKeyValueIterator: Iterator[(Any, Any)] =
    Iterator.single(0).map { key =>
      try key -> stream.readAllBytes()
      finally stream.close()
    }

  override def readObject[T: ClassTag](): T =
    throw new UnsupportedOperationException("a block can only be read as a whole")

  override def close(): Unit = stream.close()
}
