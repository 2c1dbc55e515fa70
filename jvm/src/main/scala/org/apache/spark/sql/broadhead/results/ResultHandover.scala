package org.apache.spark.sql.broadhead.results

import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap
import java.util.UUID

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.broadhead.HandedOverBytes
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobEnd, SparkListenerJobStart}
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.{SparkContext, SparkEnv, TaskContext}

/**
 * The Arrow messages of results on their way from tasks to a driver in the same process, by
 * reference: Spark would serialize them twice, and read them twice.
 *
 * A task offers what it gives, and where its result is an array of just that, a name is serialized
 * in its stead. What nobody takes, of a task whose job has ended otherwise, goes with the job.
 */
private[broadhead] class ResultHandover(context: SparkContext) extends SparkListener {

  /** Holds nothing itself: what a task gives may go elsewhere than into its result. */
  private class Offer(val stage: Int, val task: Long) {
    private val elements = ArrayBuffer.empty[WeakReference[AnyRef]]
    private var size = 0L

    def add(element: Any, bytes: Long): Unit = {
      elements += new WeakReference(element.asInstanceOf[AnyRef])
      size += bytes
    }

    def bytes: Long = size

    def isAllOf(result: Array[AnyRef]): Boolean =
      result.nonEmpty && result.length == elements.length &&
        result.indices.forall(i => result(i) eq elements(i).get)
  }

  private case class Held(stage: Int, result: AnyRef)

  private val counted = new HandedOverBytes(context)
  private val offers = new ThreadLocal[Offer]
  private val held = new ConcurrentHashMap[String, Held]
  private val stages = new ConcurrentHashMap[Int, Set[Int]]

  /** The elements, which are handed over if all of them become the task's result. */
  def offered[T](elements: Iterator[T], task: TaskContext)(bytes: T => Long): Iterator[T] = {
    val offer = new Offer(task.stageId(), task.taskAttemptId())
    offers.set(offer)
    elements.map { element =>
      offer.add(element, bytes(element))
      element
    }
  }

  /** What to serialize for an object: a name in the stead of a result that was offered. */
  def replaced(value: Any): Any = (value, offers.get) match {
    case (result: Array[AnyRef], offer: Offer) if offer.isAllOf(result) =>
      offers.remove()
      val name = s"result handed over by Broadhead: ${UUID.randomUUID()}"
      // Held first: if the job ends now, either its end finds the result or the task is not wanted.
      held.put(name, Held(offer.stage, result))
      if (counted.add(offer.task, offer.bytes)) {
        name
      } else {
        held.remove(name)
        result
      }
    case _ => value
  }

  /** The object for which this was serialized. */
  def restored(read: Any): Any = read match {
    case name: String => Option(held.remove(name)).fold[Any](name)(_.result)
    case other => other
  }

  /** Number of results that nobody has taken yet. */
  def count: Int = held.size

  override def onJobStart(event: SparkListenerJobStart): Unit =
    stages.put(event.jobId, event.stageIds.toSet)

  // Not with the stage: a stage that is tried again takes results of its attempt before.
  override def onJobEnd(event: SparkListenerJobEnd): Unit =
    Option(stages.remove(event.jobId)).foreach { ended =>
      held.values.removeIf(result => ended.contains(result.stage))
    }
}

private[broadhead] object ResultHandover extends Logging {

  /**
   * Installs it in a local application whose serializer is Spark's default. Spark has no interface
   * for this, so the serializer in the environment is replaced by one that knows of it.
   */
  def install(context: SparkContext): Unit = {
    val environment = SparkEnv.get
    if (environment.serializer.getClass == classOf[JavaSerializer]) {
      try {
        val field = classOf[SparkEnv].getDeclaredField("serializer")
        field.setAccessible(true)
        val handover = new ResultHandover(context)
        field.set(environment, new HandoverSerializer(context.conf, handover))
        context.addSparkListener(handover)
      } catch {
        case defect @ (_: ReflectiveOperationException | _: RuntimeException) =>
          logInfo("Results are serialized: this Spark version has no way to pass them by reference", defect)
      }
    }
  }

  /** The elements of a task's result: offered where its application hands results over. */
  def offered[T](elements: Iterator[T], task: TaskContext)(bytes: T => Long): Iterator[T] =
    ofApplication.fold(elements)(_.offered(elements, task)(bytes))

  /** The application's, where it has one. */
  def ofApplication: Option[ResultHandover] = SparkEnv.get.serializer match {
    case serializer: HandoverSerializer => Some(serializer.handover)
    case _ => None
  }
}
