package org.apache.spark.sql.broadhead.pythonfunctions

import java.io.{ByteArrayOutputStream, DataOutputStream}

import org.apache.spark.api.python.{PythonFunction, PythonRDD}
import org.apache.spark.rdd.{MapPartitionsRDD, ParallelCollectionPartition, ParallelCollectionRDD, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.execution.{LeafExecNode, RDDScanExec}
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.storage.StorageLevel

/**
 * Rows of a data frame that Python has made: `createDataFrame(list)`, `rdd.toDF()`.
 *
 * @param function makes the rows, from the elements of `input`
 */
private[broadhead] case class PickledRows(function: PythonFunction, input: RDD[_]) {

  /** Bytes of the elements if the driver has them all, from `createDataFrame(list)`. */
  def bytes: Option[Long] = input match {
    case parallel: ParallelCollectionRDD[_] =>
      Some(parallel.partitions.iterator.collect { case part: ParallelCollectionPartition[_] =>
        part.values.iterator.collect { case bytes: Array[Byte] => bytes.length.toLong }.sum
      }.sum)
    case _ => None
  }

  def isBarrier: Boolean = input.isBarrier()
}

private[broadhead] object PickledRows {
  private val Function = classOf[PythonRDD].getDeclaredField("func")
  Function.setAccessible(true)

  /**
   * The rows of a scan, if PySpark's `createDataFrame` has made it.
   *
   * It puts three RDDs over the one with the pickled rows, which take the rows out of their pickles
   * and convert them to Spark's rows. They are known by the lines of Spark that create them.
   */
  def of(scan: RDDScanExec): Option[PickledRows] =
    for {
      arrays <- inputOf(scan.rdd, "applySchemaToPythonRDD at ")
      objects <- inputOf(arrays, "map at SerDeUtil.scala:")
      pickled <- inputOf(objects, "mapPartitions at SerDeUtil.scala:")
      rows <- Some(pickled).collect {
        case python: PythonRDD if !isKept(python) =>
          PickledRows(
            Function.get(python).asInstanceOf[PythonFunction],
            python.dependencies.head.rdd)
      }
    } yield rows

  private def inputOf(rdd: RDD[_], creation: String): Option[RDD[_]] = rdd match {
    case mapped: MapPartitionsRDD[_, _]
        if !isKept(mapped) && mapped.creationSite.shortForm.startsWith(creation) =>
      mapped.dependencies.headOption.map(_.rdd)
    case _ => None
  }

  private def isKept(rdd: RDD[_]): Boolean =
    rdd.getStorageLevel != StorageLevel.NONE || rdd.isCheckpointed || rdd.dependencies.length != 1
}

/** The elements of an RDD in the form in which Spark sends them to Python, in rows of bytes. */
private[broadhead] case class PythonElements(elements: RDD[_], output: Seq[Attribute])
    extends LeafExecNode {

  override def nodeName: String = "PythonElements"

  protected override def doExecute(): RDD[InternalRow] =
    elements.mapPartitionsInternal(PythonElements.rows(_))

  protected override def stringArgs: Iterator[Any] = Iterator(output)
}

private[broadhead] object PythonElements {
  private val RowBytes = 256 << 10

  def apply(elements: RDD[_]): PythonElements =
    PythonElements(elements, Seq(AttributeReference("elements", BinaryType, nullable = false)()))

  private def rows(elements: Iterator[_]): Iterator[InternalRow] = {
    val bytes = new ByteArrayOutputStream
    val data = new DataOutputStream(bytes)
    val toUnsafe = UnsafeProjection.create(Array[DataType](BinaryType))
    new Iterator[InternalRow] {
      override def hasNext: Boolean = elements.hasNext

      override def next(): InternalRow = {
        bytes.reset()
        while (bytes.size < RowBytes && elements.hasNext) {
          PythonRDD.writeIteratorToStream(Iterator.single(elements.next()), data)
        }
        data.flush()
        toUnsafe(new GenericInternalRow(Array[Any](bytes.toByteArray)))
      }
    }
  }
}
