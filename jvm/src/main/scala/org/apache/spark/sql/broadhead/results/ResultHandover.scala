package org.apache.spark.sql.broadhead.results

import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap
import java.util.UUID

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.broadhead.DirectResultBytes
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobEnd, SparkListenerJobStart}
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.{SparkContext, SparkEnv, TaskContext}

/**
 * Passes the Arrow messages of results by reference from tasks to a driver in the same process:
 * Spark would serialize and read them twice.
 *
 * A task offers its messages. If its result is an array of exactly these, a reference is serialized
 * instead of the result. Results that the driver never reads, because their job has ended, are
 * dropped with the job.
 */
private[broadhead] class ResultHandover(context: SparkContext) extends SparkListener {

  /** Weak references to a task's messages, which may be used elsewhere than in its result. */
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

  private val counted = new DirectResultBytes(context)
  private val offers = new ThreadLocal[Offer]
  private val held = new ConcurrentHashMap[String, Held]
  private val stages = new ConcurrentHashMap[Int, Set[Int]]

  /** The elements, which are passed by reference if all of them become the task's result. */
  def offered[T](elements: Iterator[T], task: TaskContext)(bytes: T => Long): Iterator[T] = {
    val offer = new Offer(task.stageId(), task.taskAttemptId())
    offers.set(offer)
    elements.map { element =>
      offer.add(element, bytes(element))
      element
    }
  }

  /** The object to serialize for a value: a reference if the value is an offered result. */
  def referenceFor(value: Any): Any = (value, offers.get) match {
    case (result: Array[AnyRef], offer: Offer) if offer.isAllOf(result) =>
      offers.remove()
      val name = s"result handed over by Broadhead: ${UUID.randomUUID()}"
      // Stored first: if the job ends now, its end removes the result, or the task is not used.
      held.put(name, Held(offer.stage, result))
      if (counted.add(offer.task, offer.bytes)) {
        name
      } else {
        held.remove(name)
        result
      }
    case _ => value
  }

  /** The value for which a read object was serialized. */
  def dereference(read: Any): Any = read match {
    case name: String => Option(held.remove(name)).fold[Any](name)(_.result)
    case other => other
  }

  /** Number of results that the driver has not read yet. */
  def count: Int = held.size

  override def onJobStart(event: SparkListenerJobStart): Unit =
    stages.put(event.jobId, event.stageIds.toSet)

  // Not at the end of the stage: a retried stage uses results of its previous attempt.
  override def onJobEnd(event: SparkListenerJobEnd): Unit =
    Option(stages.remove(event.jobId)).foreach { ended =>
      held.values.removeIf(result => ended.contains(result.stage))
    }
}

private[broadhead] object ResultHandover extends Logging {

  /**
   * Installs the handover in a local application with Spark's default serializer. Spark has no
   * interface for this, so the serializer of the environment is replaced.
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
          logInfo(
            "Results are serialized: this Spark version has no way to pass them by reference",
            defect)
      }
    }
  }

  /** The elements of a task's result, offered if the application has a handover. */
  def offered[T](elements: Iterator[T], task: TaskContext)(bytes: T => Long): Iterator[T] =
    ofApplication.fold(elements)(_.offered(elements, task)(bytes))

  /** The handover of the application, if it has one. */
  def ofApplication: Option[ResultHandover] = SparkEnv.get.serializer match {
    case serializer: HandoverSerializer => Some(serializer.handover)
    case _ => None
  }
}
