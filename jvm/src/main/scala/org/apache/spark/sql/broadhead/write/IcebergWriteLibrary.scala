package org.apache.spark.sql.broadhead.write

import java.io.OutputStream
import java.lang.reflect.{Array => JavaArray, Field}

import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.scan.iceberg.Member
import org.apache.spark.sql.connector.write.{DataWriterFactory, WriterCommitMessage}
import org.apache.spark.sql.types.StructType

/**
 * What Iceberg's `SparkWrite` has decided.
 *
 * @param format the name of the format of its files
 * @param schema Iceberg's schema of the rows
 * @param rows Spark's schema of the rows
 * @param properties those of its writers, which come before the table's
 */
private[write] case class IcebergWriteFields(
    table: AnyRef,
    format: String,
    isPartitioned: Boolean,
    isSorted: Boolean,
    schema: AnyRef,
    rows: StructType,
    properties: Map[String, String])

/**
 * The members of Iceberg's classes that writes need, found by reflection like those of scans.
 *
 * Throws `ReflectiveOperationException` when it is made for a version without one of them.
 */
private[write] class IcebergWriteLibrary(loader: ClassLoader) {
  private def icebergClass(name: String): Class[_] =
    Class.forName(s"org.apache.iceberg.$name", true, loader)

  private def member(owner: String, name: String, parameters: Class[_]*): Member =
    new Member(icebergClass(owner).getMethod(name, parameters: _*))

  private def field(owner: String, name: String): Field = {
    val found = icebergClass(s"spark.source.$owner").getDeclaredField(name)
    found.setAccessible(true)
    found
  }

  private val ofWrite =
    Seq("table", "format", "outputSpecId", "writeSchema", "dsSchema", "writeProperties")
      .map(name => name -> field("SparkWrite", name))
      .toMap

  private val tableOfFactory = field("SparkWrite$WriterFactory", "tableBroadcast")
  private val queryId = field("SparkWrite$WriterFactory", "queryId")
  private val specId = field("SparkWrite$WriterFactory", "outputSpecId")
  private val specs = member("Table", "specs")
  private val sortOrder = member("Table", "sortOrder")
  private val isUnsorted = member("SortOrder", "isUnsorted")
  private val isUnpartitioned = member("PartitionSpec", "isUnpartitioned")
  private val schemaText = member("SchemaParser", "toJson", icebergClass("Schema"))

  private val fileFormat = icebergClass("FileFormat")
  private val parquet = fileFormat.getField("PARQUET").get(null)

  private val filesFor = member(
    "io.OutputFileFactory",
    "builderFor",
    icebergClass("Table"),
    java.lang.Integer.TYPE,
    java.lang.Long.TYPE)
  private val withFormat = member("io.OutputFileFactory$Builder", "format", fileFormat)
  private val withOperation =
    member("io.OutputFileFactory$Builder", "operationId", classOf[String])
  private val buildFiles = member("io.OutputFileFactory$Builder", "build")
  private val newOutputFile = member("io.OutputFileFactory", "newOutputFile")
  private val plainOutput = member("encryption.EncryptedOutputFile", "encryptingOutputFile")
  private val create = member("io.OutputFile", "create")
  private val location = member("io.OutputFile", "location")
  private val asInput = member("io.OutputFile", "toInputFile")
  private val lengthOf = member("io.InputFile", "getLength")
  private val ioOf = member("Table", "io")
  private val deleteFile = member("io.FileIO", "deleteFile", classOf[String])

  private val metricsConfig = member("MetricsConfig", "forTable", icebergClass("Table"))
  private val fileMetrics = member(
    "parquet.ParquetUtil",
    "fileMetrics",
    icebergClass("io.InputFile"),
    icebergClass("MetricsConfig"))

  private val metricsClass = icebergClass("Metrics")
  private val recordCount = member("Metrics", "recordCount")

  /** In the order of the constructor. */
  private val metricsParts = Seq("columnSizes", "valueCounts", "nullValueCounts",
    "nanValueCounts", "lowerBounds", "upperBounds").map(name => name -> member("Metrics", name))

  private val newMetrics = {
    val maps = Seq.fill[Class[_]](metricsParts.size)(classOf[java.util.Map[_, _]])
    metricsClass.getConstructor(Seq[Class[_]](classOf[java.lang.Long]) ++ maps: _*)
  }

  private val builderFor = member("DataFiles", "builder", icebergClass("PartitionSpec"))
  private val filePath = member("DataFiles$Builder", "withPath", classOf[String])
  private val fileKind = member("DataFiles$Builder", "withFormat", fileFormat)
  private val fileLength =
    member("DataFiles$Builder", "withFileSizeInBytes", java.lang.Long.TYPE)
  private val fileCounts = member("DataFiles$Builder", "withMetrics", metricsClass)
  private val buildFile = member("DataFiles$Builder", "build")

  private val dataFile = icebergClass("DataFile")
  private val newCommit = icebergClass("spark.source.SparkWrite$TaskCommit")
    .getDeclaredConstructor(JavaArray.newInstance(dataFile, 0).getClass)
  newCommit.setAccessible(true)
  private val reportCommit = new Member(
    icebergClass("spark.source.SparkWrite$TaskCommit").getDeclaredMethod("reportOutputMetrics"))

  def fieldsOf(write: AnyRef): IcebergWriteFields = {
    def value[T](name: String) = ofWrite(name).get(write).asInstanceOf[T]
    val table = value[AnyRef]("table")
    IcebergWriteFields(
      table,
      value[AnyRef]("format").toString,
      !isUnpartitioned[Boolean](specOf(table, value[Int]("outputSpecId"))),
      !isUnsorted[Boolean](sortOrder[AnyRef](table)),
      value("writeSchema"),
      value("dsSchema"),
      value[java.util.Map[String, String]]("writeProperties").asScala.toMap)
  }

  private def specOf(table: AnyRef, id: Int): AnyRef =
    specs[java.util.Map[Int, AnyRef]](table).get(id)

  /** Iceberg's JSON of a schema. */
  def textOf(schema: AnyRef): String = schemaText[String](null, schema)

  /** A new file of a task, in the folder and with the name that the table gives it. */
  def newFile(factory: DataWriterFactory, partition: Int, task: Long): AnyRef = {
    val made = filesFor[AnyRef](null, tableOf(factory), partition, task)
    withFormat[Any](made, parquet)
    // The epoch of a batch is 0.
    withOperation[Any](made, s"${queryId.get(factory)}-0")
    plainOutput[AnyRef](newOutputFile[AnyRef](buildFiles[AnyRef](made)))
  }

  private def tableOf(factory: DataWriterFactory): AnyRef =
    tableOfFactory.get(factory).asInstanceOf[Broadcast[AnyRef]].value

  def open(file: AnyRef): OutputStream = create[OutputStream](file)

  def delete(factory: DataWriterFactory, file: AnyRef): Unit =
    deleteFile[Any](ioOf[AnyRef](tableOf(factory)), location[String](file))

  /**
   * What a task tells the driver of its file.
   *
   * @param nans the rows that are NaN, by field id: footers do not have them
   */
  def commitOf(
      factory: DataWriterFactory,
      file: AnyRef,
      nans: Map[Int, Long]): WriterCommitMessage = {
    val table = tableOf(factory)
    val input = asInput[AnyRef](file)
    val counted = fileMetrics[AnyRef](null, input, metricsConfig[AnyRef](null, table))
    val made = builderFor[AnyRef](null, specOf(table, specId.getInt(factory)))
    filePath[Any](made, location[String](file))
    fileKind[Any](made, parquet)
    fileLength[Any](made, lengthOf[Long](input))
    fileCounts[Any](made, if (nans.isEmpty) counted else withNans(counted, nans))
    val files = JavaArray.newInstance(dataFile, 1)
    JavaArray.set(files, 0, buildFile[AnyRef](made))
    val commit = newCommit.newInstance(files)
    reportCommit[Any](commit)
    commit.asInstanceOf[WriterCommitMessage]
  }

  private def withNans(metrics: AnyRef, nans: Map[Int, Long]): AnyRef = {
    val parts = metricsParts.map { case (name, part) =>
      name -> part[java.util.Map[Int, Any]](metrics)
    }.toMap
    // Of other columns the table wants no counts.
    val counted = Option(parts("valueCounts")).map(_.keySet().asScala).getOrElse(Set.empty[Int])
    val counts = new java.util.HashMap[Int, Any]
    nans.foreach { case (id, count) => if (counted.exists(_ == id)) counts.put(id, count) }
    val changed = parts.updated("nanValueCounts", counts)
    newMetrics
      .newInstance(
        recordCount[AnyRef](metrics) +: metricsParts.map { case (name, _) => changed(name) }: _*)
      .asInstanceOf[AnyRef]
  }
}

private[write] object IcebergWriteLibrary {
  private val known = TrieMap[ClassLoader, Try[IcebergWriteLibrary]]()

  /** The library that an object of it belongs to; fails for a version with other members. */
  def of(member: AnyRef): Try[IcebergWriteLibrary] = {
    val loader = member.getClass.getClassLoader
    known.getOrElseUpdate(
      loader,
      try Success(new IcebergWriteLibrary(loader))
      catch { case error @ (_: Exception | _: LinkageError) => Failure(error) })
  }
}
