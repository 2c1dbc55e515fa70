package org.apache.spark.sql.broadhead.gpu

import org.apache.spark.sql.broadhead.application.Gpu

class LongFunctionsSuite extends munit.FunSuite {

  private def use(functions: Option[Int]): GpuUse =
    GpuUse(minBytes = 4L, minBytesAtStart = 256L, atOnce = 4, functions)

  test("functions whose tasks take long on the CPU need no large input for the GPU") {
    val long = use(Some(1))
    val short = use(Some(2))
    assertEquals(long.least(Gpu.Unknown), 256L)
    LongFunctions.add(long, 3000000000L)
    assertEquals(long.least(Gpu.Unknown), 256L)
    LongFunctions.add(long, 2000000000L)
    LongFunctions.add(short, 4999999999L)
    assertEquals(long.least(Gpu.Unknown), 4L)
    assertEquals(short.least(Gpu.Unknown), 256L)
  }

  test("fragments without functions are not affected") {
    val none = use(None)
    LongFunctions.add(none, 60000000000L)
    assertEquals(none.least(Gpu.Unknown), 256L)
  }
}
