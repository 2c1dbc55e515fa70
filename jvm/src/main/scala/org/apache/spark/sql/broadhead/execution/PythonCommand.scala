package org.apache.spark.sql.broadhead.execution

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{ArrayList => JavaList, Collections, HashMap => JavaMap}

import scala.collection.immutable.ArraySeq

import io.broadhead.BuildInfo

import org.apache.spark.api.python.{ChainedPythonFunctions, PythonRunner, SimplePythonFunction}
import org.apache.spark.SparkConf
import org.apache.spark.sql.broadhead.application.PythonProbe
import org.apache.spark.sql.broadhead.gpu.MultiProcessService

/**
 * The start of an application's workers, the same for all of its fragments.
 *
 * @param interpreter command of the Python
 * @param version its first two numbers, which the worker compares with its own
 * @param environment that of the user's Python functions, and the variable that keeps the current
 *   directory off the workers' path
 */
private[broadhead] case class PythonWorkers(
    interpreter: String,
    version: String,
    environment: Map[String, String]) {

  /**
   * A runner for one task, which sends the command to a worker.
   *
   * @param onGpu whether the worker is one of those that use the GPU
   */
  def runner(command: Array[Byte], onGpu: Boolean): PythonRunner = {
    val variables = new JavaMap[String, String]()
    if (onGpu) {
      variables.put(PythonWorkers.Pool, "gpu")
      MultiProcessService.environment.foreach { case (name, value) => variables.put(name, value) }
    }
    environment.foreach { case (name, value) => variables.put(name, value) }
    val includes = new JavaList[String]()
    // An absolute path, as this executor sees its jar, however the jar was distributed.
    BuildInfo.pythonPath.foreach(includes.add)
    val function = SimplePythonFunction(
      ArraySeq.unsafeWrapArray(command),
      variables,
      includes,
      interpreter,
      version,
      Collections.emptyList(),
      null)
    // Without the session's artifacts: no fragment needs them, and each of them has a daemon.
    new PythonRunner(Seq(ChainedPythonFunctions(Seq(function))), None)
  }
}

private[broadhead] object PythonWorkers {
  private val ExecutorEnvironment = "spark.executorEnv."
  private val HashSeed = "PYTHONHASHSEED"

  /** Spark keeps a pool of workers for each environment. */
  private val Pool = "BROADHEAD_WORKERS"

  /** The environment of PySpark's functions, with a safe path. */
  def environment(conf: SparkConf): Map[String, String] =
    conf.getAllWithPrefix(ExecutorEnvironment).toMap +
      (HashSeed -> sys.env.getOrElse(HashSeed, "0")) +
      (PythonProbe.SafePath -> "1")
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
