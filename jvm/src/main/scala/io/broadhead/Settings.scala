package io.broadhead

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.internal.SQLConf

/** The values of Broadhead's keys for one query; rejects unknown keys and invalid values. */
class Settings(conf: SQLConf) {
  private val entries: Map[String, String] = conf.getAllConfs.filter { case (key, _) =>
    key.startsWith(Settings.Prefix)
  }
  Settings.validate(entries)

  val enabled: Boolean = value(Settings.Enabled)
  val device: String = value(Settings.Device)
  val explain: String = value(Settings.Explain)
  val strict: Boolean = value(Settings.Strict)
  val exact: Boolean = value(Settings.Exact)
  val costModel: Boolean = value(Settings.CostModel)
  val batchRows: Int = value(Settings.BatchRows)
  val operatorMemory: Option[Long] = value(Settings.OperatorMemory)
  val gpuMinBytes: Long = value(Settings.GpuMinBytes)
  val gpuTasks: Int = value(Settings.GpuTasks)
  val gpuConcurrentTasks: Int = value(Settings.GpuConcurrentTasks)
  val gpuStreams: Int = value(Settings.GpuStreams)
  val gpuMemoryFraction: Double = value(Settings.GpuMemoryFraction)
  val pythonTrace: Boolean = value(Settings.PythonTrace)
  val sparkExpressions: Boolean = value(Settings.SparkExpressions)
  val pythonAccelerate: String = value(Settings.PythonAccelerate)

  /** Whether an operator may be replaced, by Spark's name without `Exec`. */
  def operatorEnabled(name: String): Boolean = enabledUnder(Settings.OperatorPrefix, name)

  /** Whether a function may be run, by its name in SQL. */
  def functionEnabled(name: String): Boolean = enabledUnder(Settings.FunctionPrefix, name)

  private def value[T](setting: Setting[T]): T =
    setting.valueOf(entries.getOrElse(setting.key, setting.defaultText))

  private def enabledUnder(prefix: String, name: String): Boolean =
    entries.isEmpty ||
      entries.getOrElse(s"$prefix$name${Settings.SwitchSuffix}", "true").trim.toBoolean
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
    "Whether queries are accelerated. Can be changed between two queries of a session.")

  val Device: Setting[String] = oneOf(
    "device",
    Seq("auto", "gpu", "cpu"),
    "auto",
    General,
    "Where fragments run: `auto` uses the GPU if there is one and the task's input is large " +
      "enough, `gpu` always uses it, `cpu` never.")

  val Explain: Setting[String] = oneOf(
    "explain",
    Seq("none", "fallbacks", "all"),
    "none",
    General,
    "Log output for each plan: `fallbacks` logs each new reason why an operator stays with " +
      "Spark once, `all` logs every plan with its accelerated operators and reasons.")

  val Strict: Setting[Boolean] = flag(
    "strict",
    "false",
    General,
    "Whether a fallback or a defect of the engine is an error. For tests.")

  val Exact: Setting[Boolean] = flag(
    "exact",
    "false",
    General,
    "Whether only functions, operators and files whose results are Spark's to the last byte are " +
      "accelerated. What is left to Spark then is listed in compatibility.md.")

  val CostModel: Setting[Boolean] = flag(
    "costModel.enabled",
    "true",
    General,
    "Whether operators stay with Spark if the engine is estimated to be slower.")

  val Version: Setting[String] = Setting[String](
    Prefix + "version",
    "string",
    s"${BuildInfo.version}, the version of the jar, which Broadhead sets",
    BuildInfo.version,
    "Version of Broadhead. Set by the plugin; programs can read it.",
    General,
    FirstVersion,
    startOnly = true,
    text => Some(text).filter(_ == BuildInfo.version))

  val SparkExpressions: Setting[Boolean] = flag(
    "sparkExpressions.enabled",
    "true",
    Execution,
    "Whether Spark evaluates the expressions that the engine does not have, so that their " +
      "operators can stay in the fragment.")

  val BatchRows: Setting[Int] =
    count("batchRows", "131072", Execution, "Largest number of rows in a batch of the engine.")

  val Memory: Setting[Option[Long]] = optionalBytes(
    "memory",
    "auto",
    Execution,
    "Memory that all workers of an executor may have together, with their interpreters. `auto` " +
      "means what its container or, in local mode, the machine has beside the JVM. Tasks wait " +
      "for each other if there is too little for all.",
    startOnly = true)

  /** What an operator may use where its task's memory does not say otherwise, as on a GPU. */
  val OperatorBytes: Long = 512L << 20

  val OperatorMemory: Setting[Option[Long]] = optionalBytes(
    "operatorMemory",
    "none",
    Execution,
    "Memory that one operator of a task may use before it spills to disk. `none` means what " +
      s"its task may have (`${Prefix}memory`).",
    startOnly = false)

  val GpuMinBytes: Setting[Long] = bytes(
    "gpu.minBytes",
    "4m",
    Gpu,
    "Smallest input of a task that `device=auto` runs on the GPU. The limit is at least 32 MiB " +
      "until a worker has used the GPU.")

  val GpuTasks: Setting[Int] = count(
    "gpu.tasks",
    "4",
    Gpu,
    "Number of tasks for each GPU. The splits of a file scan are joined until this number is reached.")

  val GpuConcurrentTasks: Setting[Int] = count(
    "gpu.concurrentTasks",
    "6",
    Gpu,
    "Largest number of fragments that run on one GPU at the same time. One process (`gpu.process`) " +
      "runs at most four, each on one stream.",
    startOnly = true)

  val GpuStreams: Setting[Int] = count(
    "gpu.streams",
    "4",
    Gpu,
    "Number of CUDA streams on which one task runs a partial aggregation of files. Each stream " +
      "has a thread of the worker, and the threads share the task's splits.")

  val GpuMemoryFraction: Setting[Double] = fraction(
    "gpu.memoryFraction",
    "0.8",
    Gpu,
    "Fraction of a GPU's memory that one worker process may use.",
    startOnly = true)

  val GpuMultiProcessService: Setting[Boolean] = flag(
    "gpu.multiProcessService",
    "true",
    Gpu,
    "Whether an executor's workers share its GPU through NVIDIA's Multi-Process Service. The " +
      "executor starts the service if it is installed and not yet running on the host.",
    startOnly = true)

  val GpuProcess: Setting[Boolean] = flag(
    "gpu.process",
    "true",
    Gpu,
    "Whether one process runs all fragments on the GPU, each on a thread of its own, and keeps " +
      "shuffled rows there. Only in local mode with one GPU; otherwise Spark's Python workers run " +
      "them.",
    startOnly = true)

  val PythonTrace: Setting[Boolean] = flag(
    "python.trace",
    "true",
    Python,
    "Whether Python functions that are made of simple operations on columns are computed as " +
      "expressions, without a call.")

  val PythonAccelerate: Setting[String] = someOf(
    "python.accelerate",
    Seq("pandas", "scikit-learn", "networkx"),
    "auto",
    Python,
    "Libraries that GPU counterparts replace in Python functions on a GPU (cuDF, cuML, " +
      "nx-cugraph): `auto` means all that are installed, `none` means that functions are called " +
      "on the CPU, or names with commas in between.")

  val ProbeTimeout: Setting[Long] = seconds(
    "python.probeTimeout",
    "20s",
    Python,
    "Time that the first query waits for the check of the executors' Python.",
    startOnly = true)

  val all: Seq[Setting[_]] = Seq(Enabled, Device, Explain, Strict, Exact, CostModel, Version,
    SparkExpressions, BatchRows, Memory, OperatorMemory, GpuMinBytes, GpuTasks,
    GpuConcurrentTasks, GpuStreams, GpuMemoryFraction, GpuMultiProcessService, GpuProcess,
    PythonTrace, PythonAccelerate, ProbeTimeout)

  /** Families of switches; a name replaces the angle brackets. */
  val switches: Seq[Setting[Boolean]] = Seq(
    flag(
      "operator.<Name>.enabled",
      "true",
      General,
      "Whether an operator is accelerated. `<Name>` is Spark's name, such as `HashAggregate`."),
    flag(
      "function.<name>.enabled",
      "true",
      General,
      "Whether a function is accelerated. `<name>` is its name in SQL, such as `substring`."))

  private val byKey: Map[String, Setting[_]] = all.map(setting => setting.key -> setting).toMap

  /** Throws an error with the key, the value and the allowed values if one is invalid. */
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

  /** The switch of an operator or a function. */
  def switchOf(key: String): Option[Setting[Boolean]] =
    switches
      .find { setting =>
        val prefix = setting.key.takeWhile(_ != '<')
        key.startsWith(prefix) && key.endsWith(SwitchSuffix) &&
        key.length > prefix.length + SwitchSuffix.length
      }
      .map(setting => setting.copy(key = key))

  /** Prints all keys as JSON, from which the documentation is generated. */
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
