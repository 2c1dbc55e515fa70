package io.broadhead

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.internal.SQLConf

/** The values of Broadhead's keys for one query; refuses unknown keys and bad values. */
class Settings(conf: SQLConf) {
  Settings.validate(conf.getAllConfs)

  val enabled: Boolean = value(Settings.Enabled)
  val device: String = value(Settings.Device)
  val explain: String = value(Settings.Explain)
  val strict: Boolean = value(Settings.Strict)
  val costModel: Boolean = value(Settings.CostModel)
  val batchRows: Int = value(Settings.BatchRows)
  val operatorMemory: Long = value(Settings.OperatorMemory)
  val gpuMinBytes: Long = value(Settings.GpuMinBytes)
  val gpuTasks: Int = value(Settings.GpuTasks)
  val gpuConcurrentTasks: Int = value(Settings.GpuConcurrentTasks)
  val gpuStreams: Int = value(Settings.GpuStreams)
  val gpuMemoryFraction: Double = value(Settings.GpuMemoryFraction)

  /** Whether an operator may be replaced, by Spark's name of it without `Exec`. */
  def operatorEnabled(name: String): Boolean = enabledUnder(Settings.OperatorPrefix, name)

  /** Whether a function may be run, by its name in SQL. */
  def functionEnabled(name: String): Boolean = enabledUnder(Settings.FunctionPrefix, name)

  private def value[T](setting: Setting[T]): T =
    setting.valueOf(conf.getConfString(setting.key, setting.defaultText))

  private def enabledUnder(prefix: String, name: String): Boolean =
    conf.getConfString(s"$prefix$name${Settings.SwitchSuffix}", "true").trim.toBoolean
}

object Settings {
  import SettingTypes._

  val Prefix = "spark.broadhead."
  val OperatorPrefix: String = Prefix + "operator."
  val FunctionPrefix: String = Prefix + "function."
  val SwitchSuffix = ".enabled"

  private val General = "General"
  private val Execution = "Execution"
  private val Gpu = "GPU"
  private val Python = "Python"

  val Enabled: Setting[Boolean] = flag(
    "enabled",
    "true",
    General,
    "Whether queries are accelerated. Can be switched for each query of a session.")

  val Device: Setting[String] = oneOf(
    "device",
    Seq("auto", "gpu", "cpu"),
    "auto",
    General,
    "Where fragments run: `auto` takes the GPU where there is one and the input is large " +
      "enough, `gpu` always, `cpu` never.")

  val Explain: Setting[String] = oneOf(
    "explain",
    Seq("none", "fallbacks", "all"),
    "none",
    General,
    "What is logged about each plan: `fallbacks` warns once of each new reason why an " +
      "operator stays with Spark, `all` also tells what is accelerated.")

  val Strict: Setting[Boolean] = flag(
    "strict",
    "false",
    General,
    "Whether it is an error when an operator stays with Spark or the engine breaks. For tests.")

  val CostModel: Setting[Boolean] = flag(
    "costModel.enabled",
    "true",
    General,
    "Whether operators whose acceleration would not pay stay with Spark.")

  val Version: Setting[String] = Setting[String](
    Prefix + "version",
    "string",
    s"${BuildInfo.version}, the version of the jar: it is set by Broadhead",
    BuildInfo.version,
    "Version of Broadhead. Set by the plugin, for programs to read.",
    General,
    FirstVersion,
    startOnly = true,
    text => Some(text).filter(_ == BuildInfo.version))

  val BatchRows: Setting[Int] =
    count("batchRows", "131072", Execution, "Largest number of rows in a batch of the engine.")

  val OperatorMemory: Setting[Long] = bytes(
    "operatorMemory",
    "512m",
    Execution,
    "Memory that one operator may take in a task before it spills to disk.")

  val GpuMinBytes: Setting[Long] = bytes(
    "gpu.minBytes",
    "4m",
    Gpu,
    "Input of a task below which `device=auto` runs it on the CPU; 32 MiB at least as long as no " +
      "worker has used the GPU.")

  val GpuTasks: Setting[Int] = count(
    "gpu.tasks",
    "4",
    Gpu,
    "Number of tasks for each GPU towards which the splits of a file scan are joined.")

  val GpuConcurrentTasks: Setting[Int] = count(
    "gpu.concurrentTasks",
    "4",
    Gpu,
    "Largest number of fragments that run on one GPU at the same time.",
    startOnly = true)

  val GpuStreams: Setting[Int] = count(
    "gpu.streams",
    "4",
    Gpu,
    "Number of streams on which one task runs a partial aggregation of files: its splits are " +
      "shared out to as many threads of the worker.")

  val GpuMemoryFraction: Setting[Double] = fraction(
    "gpu.memoryFraction",
    "0.8",
    Gpu,
    "Part of a GPU's memory that one worker process may take.",
    startOnly = true)

  val GpuMultiProcessService: Setting[Boolean] = flag(
    "gpu.multiProcessService",
    "true",
    Gpu,
    "Whether an executor's workers share its GPU through NVIDIA's Multi-Process Service. It is " +
      "started for them where it is installed and none is running.",
    startOnly = true)

  val ProbeTimeout: Setting[Long] = seconds(
    "python.probeTimeout",
    "20s",
    Python,
    "How long the first query waits for the check of the Python that executors use.",
    startOnly = true)

  val all: Seq[Setting[_]] = Seq(Enabled, Device, Explain, Strict, CostModel, Version, BatchRows,
    OperatorMemory, GpuMinBytes, GpuTasks, GpuConcurrentTasks, GpuStreams, GpuMemoryFraction,
    GpuMultiProcessService, ProbeTimeout)

  /** Families of switches; a name stands in the place of the angle brackets. */
  val switches: Seq[Setting[Boolean]] = Seq(
    flag(
      "operator.<Name>.enabled",
      "true",
      General,
      "Whether an operator is accelerated, by Spark's name, such as `HashAggregate`."),
    flag(
      "function.<name>.enabled",
      "true",
      General,
      "Whether a function is accelerated, by its name in SQL, such as `substring`."))

  private val byKey: Map[String, Setting[_]] = all.map(setting => setting.key -> setting).toMap

  /** Throws an error that names the key, the value and what is allowed, where one is bad. */
  def validate(entries: Iterable[(String, String)]): Unit =
    entries.foreach { case (key, value) =>
      if (key.startsWith(Prefix)) find(key).valueOf(value)
    }

  private def find(key: String): Setting[_] = byKey.getOrElse(
    key,
    switchOf(key).getOrElse {
      val known = (all ++ switches).map(_.key).mkString(", ")
      throw new IllegalArgumentException(s"$key is not a key of Broadhead; its keys are: $known")
    })

  private def switchOf(key: String): Option[Setting[Boolean]] =
    switches
      .find { setting =>
        val prefix = setting.key.takeWhile(_ != '<')
        key.startsWith(prefix) && key.endsWith(SwitchSuffix) &&
        key.length > prefix.length + SwitchSuffix.length
      }
      .map(setting => setting.copy(key = key))

  /** Prints all keys as JSON, from which the documentation is made. */
  def main(arguments: Array[String]): Unit = {
    val mapper = new ObjectMapper()
    val entries = mapper.createArrayNode()
    (all ++ switches).foreach { setting =>
      entries
        .addObject()
        .put("key", setting.key)
        .put("type", setting.kind)
        .put("allowed", setting.allowed)
        .put("default", setting.defaultText)
        .put("doc", setting.doc)
        .put("category", setting.category)
        .put("since", setting.since)
        .put("startOnly", setting.startOnly)
    }
    println(mapper.writerWithDefaultPrettyPrinter().writeValueAsString(entries))
  }
}
