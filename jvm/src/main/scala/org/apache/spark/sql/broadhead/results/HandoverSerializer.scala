package org.apache.spark.sql.broadhead.results

import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer

import scala.reflect.ClassTag

import org.apache.spark.serializer.{DeserializationStream, JavaSerializer, SerializationStream, SerializerInstance}
import org.apache.spark.SparkConf

/** Spark's default serializer, except for the results that tasks pass by reference. */
private[broadhead] class HandoverSerializer(conf: SparkConf, val handover: ResultHandover)
    extends JavaSerializer(conf) {

  override def newInstance(): SerializerInstance =
    new HandoverSerializerInstance(super.newInstance(), handover)

  /** When the serializer itself is serialized, with a shuffle dependency, Spark's own replaces it. */
  private def writeReplace(): AnyRef = new JavaSerializer(conf)
}

private class HandoverSerializerInstance(spark: SerializerInstance, handover: ResultHandover)
    extends SerializerInstance {

  override def serialize[T: ClassTag](value: T): ByteBuffer = spark.serialize(value)

  override def deserialize[T: ClassTag](bytes: ByteBuffer): T = spark.deserialize(bytes)

  override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T =
    spark.deserialize(bytes, loader)

  override def serializeStream(output: OutputStream): SerializationStream =
    new GivingStream(spark.serializeStream(output), handover)

  override def deserializeStream(input: InputStream): DeserializationStream =
    new TakingStream(spark.deserializeStream(input), handover)
}

private class GivingStream(stream: SerializationStream, handover: ResultHandover)
    extends SerializationStream {

  override def writeObject[T: ClassTag](value: T): SerializationStream = {
    stream.writeObject[Any](handover.referenceFor(value))
    this
  }

  override def flush(): Unit = stream.flush()

  override def close(): Unit = stream.close()
}

private class TakingStream(stream: DeserializationStream, handover: ResultHandover)
    extends DeserializationStream {

  override def readObject[T: ClassTag](): T =
    handover.dereference(stream.readObject[Any]()).asInstanceOf[T]

  override def close(): Unit = stream.close()
}
