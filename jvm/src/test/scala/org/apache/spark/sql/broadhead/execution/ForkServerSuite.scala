package org.apache.spark.sql.broadhead.execution

import org.apache.spark.SparkConf

class ForkServerSuite extends munit.FunSuite {
  private def isUseful(keys: (String, String)*): Boolean =
    ForkServer.isUseful(new SparkConf(false).setAll(keys))

  test("workers are copies where Linux counts shared memory once, and Spark has a daemon") {
    assume(scala.util.Properties.isLinux)
    assert(isUseful())
    Seq("local[2]", "spark://host:7077", "k8s://https://host").foreach { master =>
      assert(isUseful("spark.master" -> master), master)
    }
    assert(!isUseful("spark.master" -> "yarn"))
    assert(!isUseful("spark.python.use.daemon" -> "false"))
    assert(!isUseful("spark.broadhead.enabled" -> "false"))
  }
}
