package org.apache.spark.sql.broadhead.execution

import java.util.Properties
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import io.broadhead.Settings

import org.apache.spark.{SparkConf, SparkContext, TaskContext}
import org.apache.spark.internal.config.EXECUTOR_CORES
import org.apache.spark.internal.config.Python.{PYSPARK_EXECUTOR_MEMORY, PYTHON_DAEMON_MODULE, PYTHON_USE_DAEMON, PYTHON_WORKER_REUSE}
import org.apache.spark.internal.Logging
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.sql.broadhead.application.{BroadheadState, ExecutorProbe, Gpu, PythonReport, WorkerEnvironment}
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.util.Utils

/**
 * Workers of this executor that have imported the engine before the first task asks for them.
 *
 * The first query would wait for Spark's daemon, its workers and their imports, while the program
 * still opens its tables. Spark ends workers that nothing has used for a minute.
 */
object ReadyWorkers {

  /** Further workers start while the first ones already run tasks. */
  private val Most = 4

  /** Programs that start one application after the other often end them within this. */
  private val LaterDelayMillis = 2000L

  @volatile private var current: Option[StartingWorkers] = None
  private var isLater = false

  /** Starts them in the background; a failure has no effect, since tasks start workers as well. */
  def start(conf: SparkConf): Unit = if (isUseful(conf)) {
    val delay = if (isLater && Utils.isLocalMaster(conf)) LaterDelayMillis else 0L
    val workers = new StartingWorkers(conf, math.min(slots(conf), Most), delay)
    workers.start()
    current = Some(workers)
    isLater = true
  }

  /** Ends those that are not ready, which is faster than to wait for them. */
  def stop(): Unit = {
    current.foreach(_.stop())
    current = None
  }

  /** Whether the workers of a local application are not ready yet. */
  def areAwaited: Boolean = current.exists(_.areAwaited)

  /** Only a daemon keeps workers for the next task. */
  private def isUseful(conf: SparkConf): Boolean =
    conf.get(PYTHON_USE_DAEMON) && conf.get(PYTHON_WORKER_REUSE) &&
      Settings.Enabled.valueOf(conf.get(Settings.Enabled.key, Settings.Enabled.defaultText))

  private def slots(conf: SparkConf): Int = conf.getOption("spark.master") match {
    case Some(master) if master.startsWith("local") => SparkContext.numDriverCores(master)
    case _ => conf.get(EXECUTOR_CORES)
  }
}

/** The workers of one application until they are ready. */
private class StartingWorkers(conf: SparkConf, count: Int, delayMillis: Long) extends Logging {

  /** Ended processes need less; a thread that hangs must not keep an application from ending. */
  private val StopMillis = 5000L

  private val isLocal = Utils.isLocalMaster(conf)
  private val stopping = new CountDownLatch(1)

  private val threads = (1 to count).map { number =>
    val thread = new Thread(() => guarded(), s"broadhead ready worker $number")
    thread.setDaemon(true)
    thread
  }

  def start(): Unit = threads.foreach(_.start())

  def areAwaited: Boolean = isLocal && threads.exists(_.isAlive)

  /**
   * Spark ends its daemons after this, but waits for one that is still starting, and would not end
   * one that starts later.
   */
  def stop(): Unit = if (threads.exists(_.isAlive)) {
    stopping.countDown()
    daemons.foreach(_.destroy())
    val end = System.nanoTime() + MILLISECONDS.toNanos(StopMillis)
    threads.foreach(_.join(math.max(1L, NANOSECONDS.toMillis(end - System.nanoTime()))))
  }

  private def daemons: Seq[ProcessHandle] = {
    val module = conf.get(PYTHON_DAEMON_MODULE).getOrElse("pyspark.daemon")
    val children = ProcessHandle.current().children().toList.asScala.toSeq
    children.filter(_.info().arguments().toScala.exists(_.contains(module)))
  }

  /** An exception of any thread would end an executor. */
  private def guarded(): Unit =
    try {
      if (!stopping.await(delayMillis, MILLISECONDS)) {
        ExecutorProbe.python.orElse(BroadheadState.python).filter(suits).foreach(run)
      }
    } catch {
      case Recoverable(error) => logInfo("Broadhead could not start a worker in advance", error)
    }

  /** Tasks on a GPU have workers of their own. */
  private def suits(python: PythonReport): Boolean = python.fault.isEmpty && python.gpus.isEmpty

  /** A task without frames, outside of Spark's scheduler. */
  private def run(python: PythonReport): Unit = {
    val workers =
      PythonWorkers(python.interpreter, python.pythonMinor, WorkerEnvironment.of(conf))
    val context = TaskContext.empty()
    setResources(context.getLocalProperties)
    TaskContext.setTaskContext(context)
    try {
      started(workers, context).foreach { output =>
        // One after the other: the imports of several would take all cores from the first query.
        threads.synchronized(output.foreach(_ => ()))
      }
    } finally {
      context.markTaskCompleted(None)
      TaskContext.unset()
    }
  }

  /** What the worker sends; None after the end. Spark starts workers one after the other, too. */
  private def started(
      workers: PythonWorkers,
      context: TaskContext): Option[Iterator[Array[Byte]]] =
    synchronized {
      Option.unless(stopping.getCount == 0)(
        workers
          .runner(PythonCommand.ready, Gpu.Unknown, onGpu = false)
          .compute(Iterator.empty, 0, context))
    }

  /** The same as Spark's scheduler says of each task: they are part of a worker's environment. */
  private def setResources(properties: Properties): Unit = {
    conf.getOption(EXECUTOR_CORES.key).foreach { cores =>
      properties.setProperty(ResourceProfile.EXECUTOR_CORES_LOCAL_PROPERTY, cores)
    }
    conf.get(PYSPARK_EXECUTOR_MEMORY).foreach { mebibytes =>
      properties.setProperty(ResourceProfile.PYSPARK_MEMORY_LOCAL_PROPERTY, mebibytes.toString)
    }
  }
}
