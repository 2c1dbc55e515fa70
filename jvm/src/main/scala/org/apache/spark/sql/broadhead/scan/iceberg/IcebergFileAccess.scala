package org.apache.spark.sql.broadhead.scan.iceberg

import java.io.InputStream
import java.net.URI
import java.nio.ByteBuffer

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.broadhead.scan.{FileAccess, FileRanges}
import org.apache.spark.sql.connector.read.InputPartition

/**
 * Files read by the table's own `FileIO`.
 *
 * @param partition any partition of the scan: each has the access
 */
private[iceberg] class IcebergFileAccess(partition: InputPartition) extends FileAccess {

  override def open(uri: String, length: Long): FileRanges = {
    val library = IcebergLibrary.of(partition).get
    val location = new Path(new URI(uri)).toString
    new IcebergRanges(library, library.open(partition, location, length))
  }
}

private class IcebergRanges(library: IcebergLibrary, stream: InputStream) extends FileRanges {

  override def read(ranges: Seq[(Long, Int)]): Seq[ByteBuffer] =
    FileRanges.spanned(ranges) { (start, bytes) =>
      library.seekTo(stream, start)
      val read = stream.readNBytes(bytes, 0, bytes.length)
      if (read < bytes.length) throw new java.io.EOFException(s"the file ends at ${start + read}")
    }

  override def close(): Unit = stream.close()
}
