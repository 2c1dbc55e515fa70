package org.apache.spark.sql.broadhead.memory

import org.apache.spark.SparkConf
import org.apache.spark.sql.broadhead.encoding.Json

/**
 * A program that prints the memory which workers of a local application would have here, as JSON.
 *
 * spark-submit starts it as it starts that application: with the heap and the keys of its files.
 */
private[broadhead] object LocalMemory {

  def main(arguments: Array[String]): Unit = {
    val resources = EngineMemory.resources
    val memory = EngineMemory.of(new SparkConf(), resources)
    val found = Json.obj(
      "workers" -> Json.number(memory.most),
      "tasks" -> Json.number(memory.atOnce),
      "heap" -> Json.number(resources.heap),
      "all" -> Json.number(memory.limit))
    println(Json.write(found))
  }
}
