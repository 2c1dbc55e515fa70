package org.apache.spark.sql.broadhead.memory

import java.io.IOException
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Paths}

import com.sun.management.OperatingSystemMXBean
import io.broadhead.Settings

import org.apache.spark.{SparkConf, SparkContext, SparkEnv, TaskContext}
import org.apache.spark.internal.config._
import org.apache.spark.internal.config.Python.PYSPARK_EXECUTOR_MEMORY
import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.util.Utils

/**
 * The memory of an executor's workers, in bytes.
 *
 * @param certain what they have together if the JVM uses its whole heap
 * @param most what they may have together
 * @param limit what the container has, the JVM included
 * @param atOnce number of tasks that may have a worker at the same time
 */
private[broadhead] case class EngineMemory(certain: Long, most: Long, limit: Long, atOnce: Int) {

  /** What the worker of a task may have now, with its interpreter and its libraries. */
  def ofTask(usedByJvm: Long): Long =
    certain.max((limit - usedByJvm - limit / EngineMemory.Margin).min(most)) / atOnce
}

/**
 * Divides what an executor's container has beside the JVM between the tasks that use the engine.
 *
 * A task gets its part when it begins, and no task gets more than its part, so that tasks need not
 * ask each other. Where there is too little for all tasks, some wait until others end.
 *
 * The heap counts whole, since Spark's operators may fill it. Containers are often little larger
 * than the heap; then workers get an eighth of the container as long as the JVM does not use it.
 */
private[broadhead] object EngineMemory extends Logging {
  private val Mebibyte = 1L << 20

  /** What a worker has before its first row: the interpreter, Arrow and the engine. */
  private val WorkerBytes = 112 * Mebibyte

  /** With less than this for its rows a task spills all the time. */
  private val LeastRowBytes = 64 * Mebibyte

  private val LeastBytes = WorkerBytes + LeastRowBytes

  /** What the JVM has beside its heap: classes, compiled code, threads, buffers. */
  private val JvmBytes = 320 * Mebibyte
  private val JvmShare = 16

  private val LeastShare = 8

  /** What a worker of a standalone cluster leaves to the host's daemons, Spark's own among them. */
  private val DaemonBytes = 1024 * Mebibyte

  /** The fraction of the container by which the JVM may grow while a task runs. */
  private val Margin = 8

  private val Status = Paths.get("/proc/self/status")
  private val ResidentKibibytes = """VmRSS:\s+(\d+) kB""".r

  /** An executor's command line: what the cluster's manager gave it, which need not be in a key. */
  private val Command = "sun.java.command"
  private val Cores = """--cores (\d+)""".r

  /** Those of an application; a process can have one after the other. */
  private class Current(val env: SparkEnv) {
    val memory: EngineMemory = of(env.conf, resources)
    val permits = new TaskPermits(memory.atOnce)
    logInfo(
      s"Broadhead's workers have ${Utils.bytesToString(memory.most)} for ${memory.atOnce} tasks " +
        s"at the same time, of ${Utils.bytesToString(memory.limit)} (${Settings.Memory.key})")
  }

  private var known: Option[Current] = None

  private def current: Current = synchronized {
    val env = SparkEnv.get
    known.filter(_.env eq env).getOrElse {
      val made = new Current(env)
      known = Some(made)
      made
    }
  }

  /** The memory of this executor's workers. */
  def ofExecutor: EngineMemory = current.memory

  /** Bytes that the worker of a task may have now. */
  def ofTask: Long = current.memory.ofTask(usedByJvm)

  /** Waits until the task may have a worker; returns the nanoseconds waited. */
  def enter(context: TaskContext): Long = current.permits.enter(context)(())

  /** What this process and its host have. */
  private[memory] def resources: Resources = Resources(
    ManagementFactory.getOperatingSystemMXBean
      .asInstanceOf[OperatingSystemMXBean]
      .getTotalMemorySize,
    Runtime.getRuntime.maxMemory,
    Runtime.getRuntime.availableProcessors,
    coresOf(System.getProperty(Command, "")).getOrElse(Runtime.getRuntime.availableProcessors))

  /** The cores of an executor with this command line. */
  private[memory] def coresOf(command: String): Option[Int] =
    Cores.findFirstMatchIn(command).map(_.group(1).toInt)

  /** Bytes of this JVM in memory; its largest heap where the kernel does not tell. */
  private def usedByJvm: Long = {
    val resident =
      try
        ResidentKibibytes.findFirstMatchIn(Files.readString(Status)).map(_.group(1).toLong << 10)
      catch { case _: IOException => None }
    resident.getOrElse(Runtime.getRuntime.maxMemory)
  }

  /**
   * @param machine bytes of the host, or of the container if that is limited
   * @param heap the largest heap of this JVM
   * @param processors of the host or the container
   * @param cores those that the executor may use
   */
  case class Resources(machine: Long, heap: Long, processors: Int, cores: Int)

  /** The division for an executor. */
  def of(conf: SparkConf, resources: Resources): EngineMemory = {
    val limit = container(conf, resources)
    val beside = limit - resources.heap - offHeap(conf) - JvmBytes - limit / JvmShare
    val asked =
      Settings.Memory.valueOf(conf.get(Settings.Memory.key, Settings.Memory.defaultText))
    val certain = asked.getOrElse(beside).max(LeastBytes)
    val most = if (asked.isDefined) certain else certain.max(limit / LeastShare)
    val slots = slotsOf(conf, resources).toLong
    EngineMemory(certain, most, limit, (most / LeastBytes).min(slots).toInt)
  }

  /** What the processes of this executor may have together. */
  private def container(conf: SparkConf, resources: Resources): Long = {
    val master = conf.get("spark.master", "local")
    if (Utils.isLocalMaster(conf)) {
      resources.machine
    } else if (master.startsWith("yarn") || master.startsWith("k8s")) {
      resources.machine.min(requested(conf))
    } else {
      val cores = resources.cores.min(resources.processors)
      val beside = resources.machine - DaemonBytes
      (beside / resources.processors * cores).max(requested(conf)).min(resources.machine)
    }
  }

  /** The container that Spark asks YARN or Kubernetes for. */
  private def requested(conf: SparkConf): Long = {
    val heap = conf.get(EXECUTOR_MEMORY)
    val overhead = conf
      .get(EXECUTOR_MEMORY_OVERHEAD)
      .getOrElse(
        (heap * conf.get(EXECUTOR_MEMORY_OVERHEAD_FACTOR)).toLong
          .max(CompiledSpark.minMemoryOverhead(conf)))
    val python = conf.get(PYSPARK_EXECUTOR_MEMORY).getOrElse(0L)
    (heap + overhead + python) * Mebibyte + offHeap(conf)
  }

  private def offHeap(conf: SparkConf): Long =
    if (conf.get(MEMORY_OFFHEAP_ENABLED)) conf.get(MEMORY_OFFHEAP_SIZE) else 0L

  /** The number of tasks that run in an executor at the same time. */
  private def slotsOf(conf: SparkConf, resources: Resources): Int = {
    val cores =
      if (Utils.isLocalMaster(conf))
        SparkContext.numDriverCores(conf.get("spark.master", "local"))
      else resources.cores
    (cores / conf.get(CPUS_PER_TASK)).max(1)
  }
}
