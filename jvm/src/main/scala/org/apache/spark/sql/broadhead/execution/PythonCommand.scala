package org.apache.spark.sql.broadhead.execution

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{ArrayList => JavaList, HashMap => JavaMap}

import scala.jdk.CollectionConverters._

import io.broadhead.BuildInfo

import org.apache.spark.api.python.{ChainedPythonFunctions, PythonBroadcast, PythonRunner, SimplePythonFunction}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.application.{ExecutorProbe, Gpu, WorkerEnvironment}
import org.apache.spark.sql.broadhead.gpu.{MultiProcessService, WorkerPools}
import org.apache.spark.sql.broadhead.versions.PythonBytes

/**
 * The start of an application's workers, the same for all of its fragments.
 *
 * @param interpreter command of the Python
 * @param version its first two numbers, which a worker with functions compares with its own
 * @param environment that of the user's Python functions, and the variable that keeps the current
 *   directory off the workers' path
 * @param functions environment of the user's Python functions in the fragment, if it has any
 */
private[broadhead] case class PythonWorkers(
    interpreter: String,
    version: String,
    environment: Map[String, String],
    functions: Option[PythonEnvironment] = None) {

  /**
   * A runner for one task, which sends the command to a worker.
   *
   * @param gpu the only GPU that the worker sees, unless it calls functions on the CPU
   * @param onGpu whether the worker is one of those that use it
   */
  def runner(command: Array[Byte], gpu: Gpu, onGpu: Boolean): PythonRunner = {
    val variables = new JavaMap[String, String]()
    WorkerEnvironment.memory.foreach { case (name, value) => variables.put(name, value) }
    if (onGpu) {
      variables.put(WorkerPools.Variable, WorkerPools.OfGpu)
      MultiProcessService.environment(gpu).foreach { case (name, value) =>
        variables.put(name, value)
      }
    }
    val own = functions.fold(Map.empty[String, String])(_.variables) ++ environment
    // The user's functions may choose a device by its address among all that there are.
    val device = if (onGpu || functions.isEmpty) gpu.environment else Map.empty[String, String]
    (own ++ device).foreach { case (name, value) => variables.put(name, value) }
    val includes = new JavaList[String]()
    functions.foreach(_.includes.foreach(includes.add))
    // An absolute path, as this executor sees its jar, however the jar was distributed.
    BuildInfo.pythonPath.foreach(includes.add)
    val function = SimplePythonFunction(
      PythonBytes.of(command),
      variables,
      includes,
      ForkServer.command(interpreter),
      if (functions.isDefined) version else ownVersion,
      functions.fold(new JavaList[Broadcast[PythonBroadcast]]())(used =>
        new JavaList(used.broadcasts.asJava)),
      functions.map(_.accumulator).orNull)
    // The session's artifacts only for functions, since each session has a daemon for them.
    functions match {
      case Some(used) => new FunctionRunner(function, used.artifacts, used.settings)
      case None => new PythonRunner(Seq(ChainedPythonFunctions(Seq(function))), None)
    }
  }

  /** Only functions need the version that pickled them; hosts may have different ones. */
  private def ownVersion: String = ExecutorProbe.python.fold(version)(_.pythonMinor)
}

/** The function that a worker runs, pickled by hand: the driver may have no Python. */
private[broadhead] object PythonCommand {
  private val Module = "broadhead.worker.task"

  /** Pickle (protocol 2) of `(make(json), None, DESERIALIZER, SERIALIZER)`. */
  def pickle(json: String): Array[Byte] = {
    val output = new ByteArrayOutputStream(json.length + 256)
    def write(text: String): Unit = output.writeBytes(text.getBytes(UTF_8))
    val body = json.getBytes(UTF_8)
    val length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(body.length)
    output.write(0x80)
    output.write(2)
    write(s"(c$Module\nmake\n(X")
    output.writeBytes(length.array())
    output.writeBytes(body)
    write(s"tRNc$Module\nDESERIALIZER\nc$Module\nSERIALIZER\nt.")
    output.toByteArray
  }
}
