package org.apache.spark.sql.broadhead.memory

import org.apache.spark.SparkConf
import org.apache.spark.sql.broadhead.memory.EngineMemory.Resources

class EngineMemorySuite extends munit.FunSuite {
  private val Mebibyte = 1L << 20
  private val Gibibyte = 1L << 30

  private def memory(machine: Long, heap: Long, keys: (String, String)*): EngineMemory =
    ofExecutor(machine, heap, cores = 4, keys)

  private def ofExecutor(
      machine: Long,
      heap: Long,
      cores: Int,
      keys: Seq[(String, String)]): EngineMemory =
    EngineMemory.of(
      new SparkConf(false).setAll(keys),
      Resources(machine, heap, processors = 4, cores))

  private def conf(master: String, more: (String, String)*): Seq[(String, String)] =
    ("spark.master" -> master) +: more

  test("in local mode workers have what the machine or its container has beside the heap") {
    val found = memory(8 * Gibibyte, 2 * Gibibyte, conf("local[4]"): _*)
    assertEquals(found.certain, (8192L - 2048L - 320L - 512L) * Mebibyte)
    assertEquals(found.most, found.certain)
    assertEquals(found.atOnce, 4)
    assertEquals(found.ofTask(usedByJvm = 2 * Gibibyte), found.certain / 4)
  }

  test("fewer tasks than slots have a worker where there is little for each") {
    val found = memory(3338 * Mebibyte, 1536 * Mebibyte, conf("local[16]"): _*)
    assertEquals(found.certain, (3338L - 1536L - 320L) * Mebibyte - 3338 * Mebibyte / 16)
    assertEquals(found.atOnce, 7)
  }

  test("containers little larger than the heap lend what the JVM does not use") {
    val keys = conf("k8s://host", "spark.executor.memory" -> "16g", "spark.executor.cores" -> "4")
    val found = memory(64 * Gibibyte, 16 * Gibibyte, keys: _*)
    assertEquals(found.limit, (16384L + 1638L) * Mebibyte)
    assertEquals(found.most, found.limit / 8)
    assertEquals(found.certain, found.limit - 16 * Gibibyte - 320 * Mebibyte - found.limit / 16)
    assertEquals(found.ofTask(usedByJvm = Gibibyte), found.most / 4)
    assertEquals(found.ofTask(usedByJvm = found.limit), found.certain / 4)
  }

  test("YARN's container has the overhead and the memory for Python that are asked for") {
    val keys = conf(
      "yarn",
      "spark.executor.memory" -> "4g",
      "spark.executor.memoryOverhead" -> "8g",
      "spark.executor.pyspark.memory" -> "1g")
    assertEquals(memory(64 * Gibibyte, 4 * Gibibyte, keys: _*).limit, 13 * Gibibyte)
    assertEquals(memory(6 * Gibibyte, 4 * Gibibyte, keys: _*).limit, 6 * Gibibyte)
  }

  test("executors of a standalone cluster share the machine by their cores") {
    val keys = conf("spark://host:7077")
    val one = ofExecutor(17 * Gibibyte, Gibibyte, cores = 1, keys)
    assertEquals(one.limit, 4 * Gibibyte)
    assertEquals(one.atOnce, 1)
    val whole = ofExecutor(17 * Gibibyte, Gibibyte, cores = 4, keys)
    assertEquals(whole.limit, 16 * Gibibyte)
    assertEquals(whole.atOnce, 4)
    val more = ofExecutor(17 * Gibibyte, Gibibyte, cores = 16, keys)
    assertEquals(more.limit, 16 * Gibibyte)
    assertEquals(more.atOnce, 16)
  }

  test("an executor's command line has its cores") {
    val command = "org.apache.spark.executor.CoarseGrainedExecutorBackend --executor-id 0 " +
      "--hostname 127.0.0.1 --cores 6 --app-id app-20261128160258-0000"
    assertEquals(EngineMemory.coresOf(command), Some(6))
    assertEquals(EngineMemory.coresOf("org.apache.spark.deploy.SparkSubmit --name x"), None)
  }

  test("the user's number is kept, but for what one worker needs") {
    val keys = conf("local[4]", "spark.broadhead.memory" -> "1g")
    val found = memory(64 * Gibibyte, Gibibyte, keys: _*)
    assertEquals(found.most, Gibibyte)
    assertEquals(found.ofTask(usedByJvm = 0L), Gibibyte / 4)
    val least =
      memory(64 * Gibibyte, Gibibyte, conf("local[4]", "spark.broadhead.memory" -> "1m"): _*)
    assertEquals(least.most, 176 * Mebibyte)
    assertEquals(least.atOnce, 1)
  }
}
