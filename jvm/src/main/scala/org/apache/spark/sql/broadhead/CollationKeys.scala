package org.apache.spark.sql.broadhead

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, DataOutputStream}
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

/**
 * The keys by which Spark's collations order strings, from Spark's own tables.
 *
 * A question is the collation's name and the strings, an answer their keys: each list has the
 * lengths of all first.
 */
private[broadhead] object CollationKeys extends SocketAnswers {
  private val BufferBytes = 1 << 16

  override def send(channel: SocketChannel): Unit = {
    val in = new DataInputStream(
      new BufferedInputStream(Channels.newInputStream(channel), BufferBytes))
    val out = new DataOutputStream(
      new BufferedOutputStream(Channels.newOutputStream(channel), BufferBytes))
    while (true) answer(in, out)
  }

  private def answer(in: DataInputStream, out: DataOutputStream): Unit = {
    val (nameBytes, count) = (in.readInt(), in.readInt())
    val collation =
      CollationFactory.collationNameToId(new String(in.readNBytes(nameBytes), UTF_8))
    val lengths = Array.fill(count)(in.readInt())
    val keys = lengths.map { length =>
      val string = UTF8String.fromBytes(in.readNBytes(length))
      CollationFactory.getCollationKeyBytes(string, collation)
    }
    keys.foreach(key => out.writeInt(key.length))
    keys.foreach(out.write(_))
    out.flush()
  }
}
