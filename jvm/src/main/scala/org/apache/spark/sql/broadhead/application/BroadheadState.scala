package org.apache.spark.sql.broadhead.application

import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.{TimeUnit, TimeoutException}

import scala.concurrent.{Await, Future, Promise}
import scala.concurrent.duration.DurationLong
import scala.util.Try

import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.broadhead.cache.BroadheadCachedBatchSerializer
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.memory.EngineMemory
import org.apache.spark.util.Utils

/** The state of Broadhead in this application, on the driver: whether it can work, and its Python. */
object BroadheadState extends Logging {

  /** What is said of plans while fragments cannot run. */
  val SwitchedOff = "Broadhead is switched off"

  @volatile private var current: Option[ApplicationState] = None

  /** Prepares an application once; `listen` runs before the first event about it. */
  def start(context: SparkContext)(listen: => Unit): Unit = synchronized {
    if (!current.exists(_.context eq context)) {
      val conf = context.conf
      Settings.validate(conf.getAll)
      SettingsRegistration.register()
      conf.set(Settings.Version.key, BuildInfo.version)
      BroadheadCachedBatchSerializer.install(conf)
      listen
      current = Some(new ApplicationState(context))
    }
  }

  /** Appends to a list of classes in the conf and keeps the user's entries. */
  def addToList(conf: SparkConf, key: String, className: String): Unit = {
    val present = conf.get(key, "").split(',').map(_.trim).filter(_.nonEmpty)
    if (!present.contains(className)) conf.set(key, (present :+ className).mkString(","))
  }

  /** Receives an executor's report of its own Python and memory. */
  def executorReported(message: String): Unit = {
    val node = Json.parse(message)
    current.foreach(
      _.executorReported(ExecutorReport(
        node.path("executor").asText,
        node.path("host").asText,
        PythonReport.fromJson(node.path("report")),
        node.path("memory").asLong,
        node.path("tasks").asInt)))
  }

  /** Whether fragments can run; the first call waits for the check of the Python. */
  def available: Boolean = reason.isEmpty

  /** Why fragments cannot run in this application, with the remedy. */
  def reason: Option[String] = application match {
    case Some(state) => state.fault
    case None => Some("there is no SparkContext in this JVM")
  }

  /** The same as far as it is known now, without waiting. */
  private[broadhead] def knownReason: Option[String] = current.flatMap(_.knownFault)

  /** Number of GPUs that the executors use. */
  private[broadhead] def gpus: Int = application.fold(0)(_.gpus)

  /** Whether fragments may run on a GPU. */
  private[broadhead] def mayUseGpu(settings: Settings): Boolean =
    gpus > 0 && settings.device != "cpu"

  /** The interpreter of the executors. */
  private[broadhead] def python: Option[PythonReport] = application.flatMap(_.python)

  private def application: Option[ApplicationState] = {
    val active = SparkContext.getActive
    active.filterNot(context => current.exists(_.context eq context)).foreach(start(_)(()))
    current
  }
}

private class ApplicationState(val context: SparkContext) extends Logging {
  private val conf = context.conf
  private val isLocal = Utils.isLocalMaster(conf)
  private val executors = new ExecutorReports
  private val warned = new AtomicBoolean(false)
  private val timeout = Settings.ProbeTimeout
    .valueOf(conf.get(Settings.ProbeTimeout.key, Settings.ProbeTimeout.defaultText))
    .seconds
  private val answered = Promise[PythonReport]()
  private val events = new StateEvents(context)
  private val linkage = Linkage.start()
  context.addSparkListener(executors)
  events.state(known)
  startProbe()

  private def probe: Future[PythonReport] = answered.future

  def executorReported(report: ExecutorReport): Unit = {
    executors.add(report)
    events.executor(report)
    events.state(known)
  }

  /** The reports that count, as far as they are there. */
  private def known: Seq[PythonReport] =
    if (executors.known) executors.deciding else probe.value.flatMap(_.toOption).toSeq

  def knownFault: Option[String] =
    if (executors.known) executors.fault else known.flatMap(_.fault).headOption

  def python: Option[PythonReport] =
    executors.python.orElse(Try(Await.result(probe, timeout)).toOption)

  /** The executors' reports have priority; without them, the driver's interpreter is checked. */
  def fault: Option[String] =
    if (executors.known && linkage.get().isEmpty) {
      executors.fault
    } else {
      val found = linkage.get().orElse(driverFault)
      found.foreach(warn)
      found
    }

  def gpus: Int = executors.gpus.getOrElse {
    val seen = python.fold(0)(_.gpus.size)
    // Of executors that have not started yet it is only known that they are like the driver's host.
    if (isLocal) seen else seen.min(1)
  }

  private def driverFault: Option[String] =
    try Await.result(probe, timeout).fault
    catch {
      case _: TimeoutException =>
        val interpreter = PythonProbe.interpreter(conf)
        PythonReport.failed(interpreter, s"did not answer within $timeout").fault
    }

  private def startProbe(): Unit = {
    val thread = new Thread(
      () => {
        val report =
          if (PythonProbe.isOnlyOnExecutors(conf)) reportOfExecutor()
          else PythonProbe.run(conf, if (isLocal) ownGpus else Nil)
        answered.success(report)
        if (isLocal && report.fault.isEmpty) events.executor(ofThisProcess(report))
        events.state(known)
        if (report.fault.isEmpty) announce(report)
      },
      "broadhead probe")
    thread.setDaemon(true)
    thread.start()
  }

  /** The driver's, which is the executor in local mode. */
  private def ofThisProcess(python: PythonReport): ExecutorReport = {
    val memory = EngineMemory.ofExecutor
    ExecutorReport(
      SparkContext.DRIVER_IDENTIFIER,
      Utils.localHostName(),
      python,
      memory.most,
      memory.atOnce)
  }

  /** Those that Spark has given to the driver, which is the executor in local mode. */
  private def ownGpus: Seq[String] =
    context.resources.get(Gpu.Resource).toSeq.flatMap(_.addresses)

  private def reportOfExecutor(): PythonReport =
    try executors.first.get(timeout.toSeconds, TimeUnit.SECONDS)
    catch {
      case _: TimeoutException =>
        PythonReport.failed(
          PythonProbe.interpreter(conf),
          "is not on the driver's host, and no executor has checked it within " +
            s"${timeout.toSeconds} seconds (${Settings.ProbeTimeout.key})")
    }

  private def announce(report: PythonReport): Unit = {
    report.gpuProblem.foreach(problem =>
      logWarning(s"Broadhead does not use every GPU: $problem"))
    if (report.gpus.isEmpty && conf.get(Settings.Device.key, "") == "gpu") {
      logWarning(
        s"${Settings.Device.key} is gpu, and Python finds no GPU that it can use: queries run on " +
          "the CPU. `broadhead doctor` says what is missing")
    }
    val device =
      if (report.gpus.isEmpty) "cpu"
      else report.gpus.map(gpu => s"${gpu.name} (${gpu.device})").mkString(", ")
    logInfo(
      s"Broadhead ${BuildInfo.version} started: device $device, jar ${BuildInfo.jar}, " +
        s"Python ${report.python} (${report.interpreter})")
  }

  private def warn(fault: String): Unit =
    if (warned.compareAndSet(false, true)) {
      logWarning(s"${BroadheadState.SwitchedOff}, queries run on Spark alone: $fault")
    }
}
