package org.apache.spark.sql.broadhead.gpu

import java.util.concurrent.{ScheduledFuture, TimeUnit}

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.SparkEnv
import org.apache.spark.util.ThreadUtils

/**
 * Keeps an executor's workers until no task has used the GPU for ten minutes.
 *
 * Spark ends the workers of a pool after a minute without a task. A new worker needs seconds for
 * its first use of the GPU, more than most queries, and people think longer than a minute between
 * two of them. So while the time runs, Spark's pools are told that they are in use.
 */
private[broadhead] object WarmWorkers extends Logging {
  private val KeptNanos = TimeUnit.MINUTES.toNanos(10)

  /** Spark looks for idle pools every ten seconds, and ends those of a minute. */
  private val PeriodSeconds = 20L
  private val SparksNanos = TimeUnit.SECONDS.toNanos(50)

  /** Their small tasks run in those beside them, which have no name. */
  private val CpuPools = ""

  private lazy val thread =
    ThreadUtils.newDaemonSingleThreadScheduledExecutor("broadhead gpu workers")

  private var running: Option[ScheduledFuture[_]] = None
  @volatile private var lastUse = 0L

  /** Whether a worker that was last used then, by the clock of `nanoTime`, still lives. */
  def isKept(use: Long): Boolean = {
    val kept = if (WorkerPools.canTouch) KeptNanos - SparksNanos else SparksNanos
    System.nanoTime() - use < kept
  }

  /** To be called when a task has used the GPU; returns the time. */
  def used(): Long = {
    lastUse = System.nanoTime()
    start()
    lastUse
  }

  private def start(): Unit = synchronized {
    if (running.isEmpty && WorkerPools.canTouch)
      running = Some(
        thread
          .scheduleWithFixedDelay(() => keep(), PeriodSeconds, PeriodSeconds, TimeUnit.SECONDS))
  }

  private def keep(): Unit =
    if (SparkEnv.get == null || System.nanoTime() - lastUse >= KeptNanos) stop()
    else
      try Seq(WorkerPools.OfGpu, CpuPools).foreach(WorkerPools.touch)
      catch {
        case NonFatal(error) =>
          logInfo("The workers of the GPU are kept no longer than others", error)
          stop()
      }

  private def stop(): Unit = synchronized {
    running.foreach(_.cancel(false))
    running = None
  }
}

/** Spark's pools of Python workers in this process. */
private[broadhead] object WorkerPools {

  /** Spark keeps a pool of workers for each environment, so this variable names them. */
  val Variable = "BROADHEAD_WORKERS"

  /** The name of those that use the GPU. */
  val OfGpu = "gpu"

  private val Activity = "lastActivityNs_$eq"

  private val pools =
    try {
      val found = classOf[SparkEnv].getDeclaredMethod("pythonWorkers")
      found.setAccessible(true)
      Some(found)
    } catch { case _: NoSuchMethodException => None }

  private val activity = pools.flatMap { _ =>
    val factory = classOf[org.apache.spark.api.python.PythonWorkerFactory]
    factory.getDeclaredMethods.find(_.getName.endsWith(Activity)).map { found =>
      found.setAccessible(true)
      found
    }
  }

  /** Whether this version of Spark has what `touch` uses. */
  def canTouch: Boolean = activity.isDefined

  /**
   * Begins anew the time after which Spark ends idle workers.
   *
   * @param name of the pools, as in `Variable`; empty for those of no name
   * @return the number of such pools
   */
  def touch(name: String): Int = {
    val found = named(name)
    for (method <- activity; pool <- found)
      pool.synchronized(method.invoke(pool, Long.box(System.nanoTime())))
    found.size
  }

  private def named(name: String): Seq[AnyRef] = {
    val env = SparkEnv.get
    env.synchronized {
      val all = pools.map(_.invoke(env).asInstanceOf[mutable.Map[AnyRef, AnyRef]])
      all.fold(Seq.empty[AnyRef])(_.collect {
        case (key, pool) if nameOf(key) == name => pool
      }.toList)
    }
  }

  /** The name in the environment, which is a part of the key of a pool. */
  private def nameOf(key: AnyRef): String =
    key
      .asInstanceOf[Product]
      .productIterator
      .collectFirst { case variables: Map[_, _] =>
        variables.asInstanceOf[Map[String, String]].getOrElse(WorkerPools.Variable, "")
      }
      .getOrElse("")
}
