package org.apache.spark.sql.broadhead

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.{SparkContext, SparkEnv, TaskContext}
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerStageCompleted}
import org.apache.spark.scheduler.broadhead.HandedOverBytes
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.util.TaskFailureListener

/**
 * The Arrow messages of results on their way from tasks to a driver in the same process, by
 * reference: Spark would serialize them twice, and read them twice.
 *
 * A task offers what it gives, and where its result is an array of just that, a name is serialized
 * in its stead. What nobody takes, of a task whose stage has ended otherwise, goes with the stage.
 */
private[broadhead] class ResultHandover(context: SparkContext) extends SparkListener {
  private case class Offer(stage: Int, task: Long, elements: ArrayBuffer[AnyRef], var bytes: Long)
  private case class Held(stage: Int, result: AnyRef)

  private val counted = new HandedOverBytes(context)
  private val offers = new ThreadLocal[Offer]
  private val held = new ConcurrentHashMap[String, Held]

  /** The elements, which are handed over if all of them become the task's result. */
  def offered[T](elements: Iterator[T], task: TaskContext)(bytes: T => Long): Iterator[T] = {
    val offer = Offer(task.stageId(), task.taskAttemptId(), ArrayBuffer.empty, 0)
    offers.set(offer)
    task.addTaskFailureListener(new TaskFailureListener {
      override def onTaskFailure(failed: TaskContext, error: Throwable): Unit = offers.remove()
    })
    elements.map { element =>
      offer.elements += element.asInstanceOf[AnyRef]
      offer.bytes += bytes(element)
      element
    }
  }

  /** What to serialize for an object: a name in the stead of a result that was offered. */
  def replaced(value: Any): Any = (value, offers.get) match {
    case (result: Array[AnyRef], offer: Offer) if isOffered(result, offer) =>
      offers.remove()
      if (counted.add(offer.task, offer.bytes)) {
        val name = s"result handed over by Broadhead: ${UUID.randomUUID()}"
        held.put(name, Held(offer.stage, result))
        name
      } else {
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

  private def isOffered(result: Array[AnyRef], offer: Offer): Boolean =
    result.nonEmpty && result.length == offer.elements.length &&
      result.indices.forall(i => result(i) eq offer.elements(i))

  override def onStageCompleted(event: SparkListenerStageCompleted): Unit =
    held.values.removeIf(_.stage == event.stageInfo.stageId)
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
          logInfo("Results are serialized: this Spark cannot hand them over", defect)
      }
    }
  }

  /** The elements of a task's result: offered where its application hands results over. */
  def offered[T](elements: Iterator[T], task: TaskContext)(bytes: T => Long): Iterator[T] =
    SparkEnv.get.serializer match {
      case serializer: HandoverSerializer => serializer.handover.offered(elements, task)(bytes)
      case _ => elements
    }
}
