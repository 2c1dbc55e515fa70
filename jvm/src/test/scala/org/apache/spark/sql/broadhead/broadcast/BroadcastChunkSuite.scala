package org.apache.spark.sql.broadhead.broadcast

import org.apache.spark.SparkException

class BroadcastChunkSuite extends munit.FunSuite {
  private val content = "a message".getBytes("UTF-8")
  private val chunk =
    BroadcastChunk(3, 48, content.length, BroadcastChunk.checksumOf(content), content)

  test("a chunk is what its parts say") {
    val found = BroadcastChunk.ofParts(chunk.parts.toArray)
    assertEquals((found.rows, found.rowBytes, found.messageBytes), (3L, 48L, content.length))
    assertEquals(found.content.toSeq, content.toSeq)
    found.check(broadcast = 7)
  }

  test("changed bytes are found, and bytes that are missing") {
    val changed = content.updated(2, (content(2) ^ 1).toByte)
    Seq(changed, content.dropRight(1), Array.emptyByteArray).foreach { damaged =>
      val error = intercept[SparkException](chunk.copy(content = damaged).check(broadcast = 7))
      assert(error.getMessage.contains("broadcast 7 is damaged"), error)
    }
  }
}
