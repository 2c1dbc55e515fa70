package org.apache.spark.sql.broadhead.scan

import java.net.URI
import java.nio.ByteBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, Path}

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.util.SerializableConfiguration

/** How the tasks of a scan read its remote files. */
private[broadhead] trait FileAccess extends Serializable {

  /** Opens a file of this length. */
  def open(uri: String, length: Long): FileRanges
}

/** An open file. */
private[broadhead] trait FileRanges extends AutoCloseable {

  /** The bytes of each range, which are near each other, in ascending order. */
  def read(ranges: Seq[(Long, Int)]): Seq[ByteBuffer]

  override def close(): Unit
}

private[broadhead] object FileRanges {

  /**
   * The bytes of each range from one read of all that is between the first and the last.
   *
   * @param readFully fills an array from a position of the file
   */
  def spanned(
      ranges: Seq[(Long, Int)])(readFully: (Long, Array[Byte]) => Unit): Seq[ByteBuffer] = {
    val start = ranges.head._1
    val (last, lastLength) = ranges.last
    val bytes = new Array[Byte](Math.toIntExact(last + lastLength - start))
    readFully(start, bytes)
    ranges.map { case (offset, length) =>
      ByteBuffer.wrap(bytes, (offset - start).toInt, length)
    }
  }
}

/** Hadoop's file systems, with the user's credentials, proxies, endpoints and options. */
private[broadhead] class HadoopFiles(conf: Broadcast[SerializableConfiguration])
    extends FileAccess {

  override def open(uri: String, length: Long): FileRanges = {
    val path = new Path(new URI(uri))
    new HadoopRanges(
      path
        .getFileSystem(conf.value.value)
        .openFile(path)
        .opt("fs.option.openfile.read.policy", "vector, random")
        .opt("fs.option.openfile.length", length.toString)
        .build()
        .get())
  }
}

private[broadhead] object HadoopFiles {

  def of(conf: Configuration, context: SparkContext): HadoopFiles =
    new HadoopFiles(context.broadcast(new SerializableConfiguration(conf)))
}

private class HadoopRanges(stream: FSDataInputStream) extends FileRanges {

  override def read(ranges: Seq[(Long, Int)]): Seq[ByteBuffer] =
    if (ranges.length > 1 && CompiledSpark.readsVectors(stream)) {
      CompiledSpark.readVectors(stream, ranges)
    } else {
      FileRanges.spanned(ranges) { (start, bytes) =>
        stream.readFully(start, bytes, 0, bytes.length)
      }
    }

  override def close(): Unit = stream.close()
}
