package org.apache.spark.sql.broadhead.broadcast

import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.spark.{SparkContext, SparkEnv, SparkException}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.storage.{BlockId, BroadcastBlockId, StorageLevel}

/**
 * All rows of a broadcast, as every process of the application reads them.
 *
 * Spark's own broadcast stores them: in memory, on disk only if memory is short, encrypted there
 * if the user has enabled it, and removed when nothing refers to it.
 *
 * @param name its unique name; it also is the secret that entitles to read the rows
 * @param bytes length of all messages
 * @param holder the broadcast whose value, or one of whose blocks, has the bytes of the chunks
 * @param kept map outputs that have the same rows in the process on the GPU, unless it has ended
 */
private[broadhead] class BroadcastContent private (
    val name: String,
    val bytes: Long,
    holder: Broadcast[_],
    local: Boolean,
    val kept: Seq[KeptRange])
    extends Serializable
    with Logging {

  def id: Long = holder.id

  /** The rows; throws Spark's error if they are not available. */
  def chunks: Array[BroadcastChunk] =
    try read()
    catch {
      case NonFatal(error) if canFetchAgain =>
        logWarning(
          s"Broadcast $id cannot be read from the local block, it is fetched again",
          error)
        SparkEnv.get.blockManager.removeBroadcast(id, tellMaster = true)
        read()
    }

  /** The block that Spark removes from each process when the broadcast ends. */
  def block: BlockId =
    if (local) BroadcastContent.localBlock(id) else BroadcastBlockId(id)

  /** Lets executors drop the rows; an executor that needs them again fetches them from the driver. */
  def release(): Unit = {
    BroadcastServer.forget(this)
    if (!local && holder.isValid) unpersist(blocking = false)
  }

  def unpersist(blocking: Boolean): Unit = holder.unpersist(blocking)

  def destroy(blocking: Boolean): Unit = holder.destroy(blocking)

  private def canFetchAgain =
    !local && SparkEnv.get.executorId != SparkContext.DRIVER_IDENTIFIER

  private def read(): Array[BroadcastChunk] = {
    val parts = if (local) blockOfProcess() else holder.value.asInstanceOf[Array[Array[Byte]]]
    val chunks = parts.grouped(2).map(BroadcastChunk.ofParts).toArray
    BroadcastContent.checked.compute(
      name,
      (_, known) =>
        if (known != null && known.refersTo(parts)) {
          known
        } else {
          chunks.foreach(_.check(id))
          new WeakReference(parts)
        })
    BroadcastContent.checked.values.removeIf(_.refersTo(null))
    chunks
  }

  private def blockOfProcess(): Array[Array[Byte]] =
    SparkEnv.get.blockManager.getLocalValues(block) match {
      // the block is locked until its only value has been taken
      case Some(found) => found.data.toSeq.head.asInstanceOf[Array[Array[Byte]]]
      case None => throw new SparkException(s"the rows of broadcast $id are no longer stored")
    }
}

/** Partitions `start` to `end`, excluded, of a map output that the process on the GPU may keep. */
private[broadhead] case class KeptRange(path: String, start: Int, end: Int)

private[broadhead] object BroadcastContent {

  /** The chunks that this process has checked, by the name of their broadcast. */
  private val checked = new ConcurrentHashMap[String, WeakReference[Array[Array[Byte]]]]()

  /**
   * Stores the rows in Spark's broadcast.
   *
   * It would serialize and compress a second copy for the tasks of a local application. These
   * find the arrays themselves in a block that Spark keeps as long as those of the broadcast.
   */
  def broadcast(
      chunks: Array[BroadcastChunk],
      kept: Seq[KeptRange],
      context: SparkContext): BroadcastContent = {
    val name = UUID.randomUUID().toString
    val parts = chunks.flatMap(_.parts)
    val holder: Broadcast[_] =
      if (context.isLocal) {
        val named = context.broadcast(name)
        keep(localBlock(named.id), parts)
        named
      } else {
        context.broadcastInternal(parts, serializedOnly = true)
      }
    val bytes = chunks.map(_.messageBytes.toLong).sum
    new BroadcastContent(name, bytes, holder, context.isLocal, kept)
  }

  private def localBlock(id: Long): BlockId = BroadcastBlockId(id, "rows")

  private def keep(block: BlockId, parts: Array[Array[Byte]]): Unit = {
    val kept = SparkEnv.get.blockManager
      .putSingle(block, parts, StorageLevel.MEMORY_AND_DISK, tellMaster = false)
    if (!kept) throw new SparkException(s"the block manager cannot store $block")
  }
}
