package org.apache.spark.sql.broadhead.broadcast

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkConf

class BroadcastFileSuite extends munit.FunSuite {
  private val folder = FunFixture[Path](
    setup = _ => Files.createTempDirectory("broadhead-test"),
    teardown = path => {
      path.toFile.listFiles().foreach(_.delete())
      Files.delete(path)
    })

  private val messages = Seq("one", "a longer message").map(_.getBytes("UTF-8"))
  private val chunks = messages.map(m => BroadcastChunk(1, 16, m.length, m)).toArray

  private def written(path: Path): Seq[String] = {
    val found = ArrayBuffer.empty[String]
    BroadcastFile.foreachMessage(path)(message => found += new String(message, "UTF-8"))
    found.toSeq
  }

  folder.test("a directory that takes no file is left out for the next") { path =>
    val gone = path.resolve("gone").toFile
    val file = BroadcastFile.write(chunks, Seq(gone, path.toFile), new SparkConf(false))
    assertEquals(file.getParent, path)
    assertEquals(written(file), Seq("one", "a longer message"))
  }

  folder.test("where no directory takes it the last one's error is the user's") { path =>
    val gone = Seq("first", "second").map(path.resolve(_).toFile)
    val error = intercept[IOException](BroadcastFile.write(chunks, gone, new SparkConf(false)))
    assert(error.getMessage.contains("second"), error)
  }

  test("a chunk is what its parts say") {
    val found = BroadcastChunk.ofParts(chunks(1).parts.toArray)
    assertEquals((found.rows, found.rowBytes, found.messageBytes), (1L, 16L, 16))
    assertEquals(found.content.toSeq, messages(1).toSeq)
  }
}
