package org.apache.spark.sql.broadhead.broadcast

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap
import java.util.UUID

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.SparkEnv
import org.apache.spark.sql.broadhead.arrow.ArrowLayout
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode
import org.apache.spark.sql.types.StructType

/**
 * The view of Broadhead's broadcast for Spark's own operators: the relation that its mode builds
 * from the rows, on first use in a process.
 */
private[broadhead] class LazyRelationBroadcast(
    val content: BroadcastContent,
    mode: BroadcastMode,
    schema: StructType,
    rows: Long)
    extends Broadcast[Any](content.id) {

  /** The same rows with another mode for the relation. */
  def withMode(other: BroadcastMode): LazyRelationBroadcast =
    new LazyRelationBroadcast(content, other, schema, rows)

  /** The ids of broadcasts restart in each application of one process. */
  private val key = UUID.randomUUID().toString

  protected override def getValue(): Any = BroadcastRelations.get(key)(makeRelation())

  private def makeRelation(): AnyRef = {
    val unsafe = new ArrayBuffer[InternalRow](Math.toIntExact(rows))
    val project = UnsafeProjection.create(schema)
    val allocator = ArrowLayout.newAllocator(s"broadcast ${content.id}")
    try {
      val reader = new MessageReader(schema, allocator)
      try
        content.chunks.foreach { chunk =>
          val batch = ArrowLayout.batch(reader.read(chunk.message(SparkEnv.get.conf)))
          unsafe ++= batch.rowIterator().asScala.map(project(_).copy())
        }
      finally reader.close()
    } finally ArrowLayout.close(allocator)
    mode.transform(unsafe.iterator, Some(rows)).asInstanceOf[AnyRef]
  }

  protected override def doUnpersist(blocking: Boolean): Unit = content.unpersist(blocking)

  protected override def doDestroy(blocking: Boolean): Unit = content.destroy(blocking)
}

/** The relations that this process has built, as long as memory suffices. */
private object BroadcastRelations {
  private val known = new ConcurrentHashMap[String, SoftReference[AnyRef]]()

  def get(key: String)(make: => AnyRef): AnyRef = {
    var relation: AnyRef = null
    known.compute(
      key,
      (_, reference) => {
        relation = if (reference == null) null else reference.get()
        if (relation == null) {
          relation = make
          new SoftReference(relation)
        } else {
          reference
        }
      })
    known.values.removeIf(_.get() == null)
    relation
  }
}
