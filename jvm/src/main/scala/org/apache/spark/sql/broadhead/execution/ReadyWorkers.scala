package org.apache.spark.sql.broadhead.execution

import java.util.Properties
import java.util.concurrent.TimeUnit.NANOSECONDS

import io.broadhead.Settings

import org.apache.spark.{SparkConf, SparkContext, TaskContext}
import org.apache.spark.internal.config.EXECUTOR_CORES
import org.apache.spark.internal.config.Python.{PYSPARK_EXECUTOR_MEMORY, PYTHON_USE_DAEMON, PYTHON_WORKER_REUSE}
import org.apache.spark.internal.Logging
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.sql.broadhead.application.{BroadheadState, ExecutorProbe, PythonReport, Recoverable}

/**
 * Workers of this executor that have imported the engine before the first task asks for them.
 *
 * The first query would wait for Spark's daemon, its workers and their imports, while the program
 * still opens its tables. Spark ends workers that nothing has used for a minute.
 */
object ReadyWorkers extends Logging {

  /** Further workers start while the first ones already run tasks. */
  private val Most = 4

  /** Longer than the start of a worker; one that hangs must not keep an application from ending. */
  private val StopMillis = 5000L

  private var starting = Seq.empty[Thread]

  /** Starts them in the background; a failure has no effect, since tasks start workers as well. */
  def start(conf: SparkConf): Unit = synchronized {
    val workers = (1 to math.min(slots(conf), Most)).map { number =>
      new Thread(() => guarded(conf), s"broadhead ready worker $number")
    }
    if (isUseful(conf)) {
      workers.foreach(_.setDaemon(true))
      workers.foreach(_.start())
      starting = workers
    }
  }

  /** Waits for those that are starting: Spark would not end a daemon that starts after its own end. */
  def stop(): Unit = synchronized {
    val end = System.nanoTime() + StopMillis * 1000000L
    starting.foreach { thread =>
      thread.join(math.max(1L, NANOSECONDS.toMillis(end - System.nanoTime())))
    }
    starting = Nil
  }

  /** Only a daemon keeps workers for the next task. */
  private def isUseful(conf: SparkConf): Boolean =
    conf.get(PYTHON_USE_DAEMON) && conf.get(PYTHON_WORKER_REUSE) &&
      Settings.Enabled.valueOf(conf.get(Settings.Enabled.key, Settings.Enabled.defaultText))

  private def slots(conf: SparkConf): Int = conf.getOption("spark.master") match {
    case Some(master) if master.startsWith("local") => SparkContext.numDriverCores(master)
    case _ => conf.get(EXECUTOR_CORES)
  }

  /** An exception of any thread would end an executor. */
  private def guarded(conf: SparkConf): Unit =
    try {
      ExecutorProbe.python.orElse(BroadheadState.python).filter(suits).foreach(run(conf, _))
    } catch {
      case Recoverable(error) => logInfo("Broadhead could not start a worker in advance", error)
    }

  /** Tasks on a GPU have workers of their own. */
  private def suits(python: PythonReport): Boolean = python.fault.isEmpty && python.gpus.isEmpty

  /** A task without frames, outside of Spark's scheduler. */
  private def run(conf: SparkConf, python: PythonReport): Unit = {
    val workers =
      PythonWorkers(python.interpreter, python.pythonMinor, PythonWorkers.environment(conf))
    val context = TaskContext.empty()
    setResources(conf, context.getLocalProperties)
    TaskContext.setTaskContext(context)
    try {
      val runner = workers.runner(PythonCommand.ready, onGpu = false)
      runner.compute(Iterator.empty, 0, context).foreach(_ => ())
    } finally {
      context.markTaskCompleted(None)
      TaskContext.unset()
    }
  }

  /** The same as Spark's scheduler says of each task: they are part of a worker's environment. */
  private def setResources(conf: SparkConf, properties: Properties): Unit = {
    conf.getOption(EXECUTOR_CORES.key).foreach { cores =>
      properties.setProperty(ResourceProfile.EXECUTOR_CORES_LOCAL_PROPERTY, cores)
    }
    conf.get(PYSPARK_EXECUTOR_MEMORY).foreach { mebibytes =>
      properties.setProperty(ResourceProfile.PYSPARK_MEMORY_LOCAL_PROPERTY, mebibytes.toString)
    }
  }
}
