package org.apache.spark.sql.broadhead.write

import java.io.OutputStream
import java.lang.reflect.{Array => JavaArray, Field}

import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.scan.iceberg.Member
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.write.{DataWriterFactory, WriterCommitMessage}
import org.apache.spark.sql.types.StructType

/**
 * What Iceberg's `SparkWrite` has decided.
 *
 * @param format the name of the format of its files
 * @param partitions the fields of the partitions of its files
 * @param hasOpenFiles whether it keeps the files of all partitions open, for rows in any order
 * @param targetBytes the size at which a file ends
 * @param schema Iceberg's schema of the rows
 * @param rows Spark's schema of the rows
 * @param properties those of its writers, which come before the table's
 */
private[write] case class IcebergWriteFields(
    table: AnyRef,
    format: String,
    partitions: Seq[IcebergPartition],
    hasOpenFiles: Boolean,
    targetBytes: Long,
    schema: AnyRef,
    rows: StructType,
    properties: Map[String, String])

/**
 * A field of the partitions of a table.
 *
 * @param source the id of the column
 * @param transform Iceberg's text of what it computes of the column, such as `bucket[16]`
 */
private[write] case class IcebergPartition(name: String, source: Int, transform: String)

/**
 * A file of a task.
 *
 * @param output Iceberg's access to the file
 * @param partition Iceberg's partition of the file's rows, null without partitions
 * @param nans the rows that are NaN, by field id: footers do not have them
 */
private[write] case class IcebergDataFile(
    output: AnyRef,
    partition: AnyRef,
    nans: Map[Int, Long] = Map.empty)

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
    Seq("table", "format", "outputSpecId", "writeSchema", "dsSchema", "writeProperties",
      "useFanoutWriter", "targetFileSize")
      .map(name => name -> field("SparkWrite", name))
      .toMap

  private val Factory = "SparkWrite$WriterFactory"
  private val tableOfFactory = field(Factory, "tableBroadcast")
  private val queryId = field(Factory, "queryId")
  private val specId = field(Factory, "outputSpecId")
  private val schemaOfFactory = field(Factory, "writeSchema")
  private val rowsOfFactory = field(Factory, "dsSchema")

  /** Some versions write the order of the rows into the manifests. */
  private val sortOrderId = Try(field(Factory, "sortOrderId")).toOption

  private val specs = member("Table", "specs")
  private val sortOrders = member("Table", "sortOrders")
  private val fieldsOfSpec = member("PartitionSpec", "fields")
  private val partitionName = member("PartitionField", "name")
  private val partitionSource = member("PartitionField", "sourceId")
  private val partitionTransform = member("PartitionField", "transform")
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
  private val newPartitionFile = member(
    "io.OutputFileFactory",
    "newOutputFile",
    icebergClass("PartitionSpec"),
    icebergClass("StructLike"))
  private val plainOutput = member("encryption.EncryptedOutputFile", "encryptingOutputFile")
  private val create = member("io.OutputFile", "create")
  private val location = member("io.OutputFile", "location")
  private val asInput = member("io.OutputFile", "toInputFile")
  private val lengthOf = member("io.InputFile", "getLength")
  private val ioOf = member("Table", "io")
  private val deleteFile = member("io.FileIO", "deleteFile", classOf[String])

  private val asStruct = member("Schema", "asStruct")
  private val newKey = icebergClass("PartitionKey")
    .getConstructor(icebergClass("PartitionSpec"), icebergClass("Schema"))
  private val setKey = member("PartitionKey", "partition", icebergClass("StructLike"))
  private val rowWrapper = icebergClass("spark.source.InternalRowWrapper")
  private val newWrapper = rowWrapper
    .getDeclaredConstructor(classOf[StructType], icebergClass("types.Types$" + "StructType"))
  newWrapper.setAccessible(true)
  private val wrap = new Member(rowWrapper.getDeclaredMethod("wrap", classOf[InternalRow]))
  private val loadFunction = member("spark.functions.SparkFunctions", "load", classOf[String])

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
  private val fileOrder =
    member("DataFiles$Builder", "withSortOrder", icebergClass("SortOrder"))
  private val filePartition =
    member("DataFiles$Builder", "withPartition", icebergClass("StructLike"))
  private val fileOffsets =
    member("DataFiles$Builder", "withSplitOffsets", classOf[java.util.List[_]])
  private val buildFile = member("DataFiles$Builder", "build")

  /** Where the row groups of a file begin. */
  private val offsets = new Member(
    icebergClass("parquet.ParquetUtil").getMethods.find(_.getName == "getSplitOffsets").get)

  private val asParquet = new Member(
    icebergClass("parquet.ParquetIO").getDeclaredMethod("file", icebergClass("io.InputFile")))

  private val (openFooter, footer) = {
    // Iceberg has Parquet's classes under names of its own.
    val input = icebergClass("parquet.ParquetIO")
      .getDeclaredMethod("file", icebergClass("io.InputFile"))
      .getReturnType
    val name = s"${input.getPackageName.stripSuffix(".io")}.hadoop.ParquetFileReader"
    val reader = Class.forName(name, true, loader)
    (new Member(reader.getMethod("open", input)), new Member(reader.getMethod("getFooter")))
  }

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
      partitionsOf(specOf(table, value[Int]("outputSpecId"))),
      value("useFanoutWriter"),
      value("targetFileSize"),
      value("writeSchema"),
      value("dsSchema"),
      value[java.util.Map[String, String]]("writeProperties").asScala.toMap)
  }

  private def partitionsOf(spec: AnyRef): Seq[IcebergPartition] =
    if (isUnpartitioned[Boolean](spec)) Nil
    else
      fieldsOfSpec[java.util.List[AnyRef]](spec).asScala.toList.map { field =>
        IcebergPartition(
          partitionName(field),
          partitionSource(field),
          partitionTransform[AnyRef](field).toString)
      }

  private def specOf(table: AnyRef, id: Int): AnyRef =
    specs[java.util.Map[Int, AnyRef]](table).get(id)

  /** Iceberg's JSON of a schema. */
  def textOf(schema: AnyRef): String = schemaText[String](null, schema)

  /** Iceberg's function of Spark that computes a transform. */
  def functionOf(name: String): UnboundFunction = loadFunction[UnboundFunction](null, name)

  /** What makes the files of a task, in the folder and with the names that the table gives. */
  def newFolder(factory: DataWriterFactory, partition: Int, task: Long): AnyRef = {
    val made = filesFor[AnyRef](null, tableOf(factory), partition, task)
    withFormat[Any](made, parquet)
    // The epoch of a batch is 0.
    withOperation[Any](made, s"${queryId.get(factory)}-0")
    buildFiles[AnyRef](made)
  }

  /** The partition of a row of the table; null without partitions. */
  def partitionOf(factory: DataWriterFactory, row: StructType => InternalRow): AnyRef = {
    val spec = specOfFactory(factory)
    if (isUnpartitioned[Boolean](spec)) null
    else {
      val schema = schemaOfFactory.get(factory)
      val columns = rowsOfFactory.get(factory).asInstanceOf[StructType]
      val wrapper = newWrapper.newInstance(columns, asStruct[AnyRef](schema))
      val key = newKey.newInstance(spec, schema).asInstanceOf[AnyRef]
      setKey[Any](key, wrap[AnyRef](wrapper, row(columns)))
      key
    }
  }

  def newFile(folder: AnyRef, factory: DataWriterFactory, partition: AnyRef): AnyRef =
    plainOutput[AnyRef](
      if (partition == null) newOutputFile[AnyRef](folder)
      else newPartitionFile[AnyRef](folder, specOfFactory(factory), partition))

  private def specOfFactory(factory: DataWriterFactory): AnyRef =
    specOf(tableOf(factory), specId.getInt(factory))

  private def tableOf(factory: DataWriterFactory): AnyRef =
    tableOfFactory.get(factory).asInstanceOf[Broadcast[AnyRef]].value

  def open(file: AnyRef): OutputStream = create[OutputStream](file)

  def delete(factory: DataWriterFactory, file: AnyRef): Unit =
    deleteFile[Any](ioOf[AnyRef](tableOf(factory)), location[String](file))

  /** What a task tells the driver of its files. */
  def commitOf(factory: DataWriterFactory, made: Seq[IcebergDataFile]): WriterCommitMessage = {
    val files = JavaArray.newInstance(dataFile, made.length)
    made.zipWithIndex.foreach { case (file, number) =>
      JavaArray.set(files, number, describe(factory, file))
    }
    val commit = newCommit.newInstance(files)
    reportCommit[Any](commit)
    commit.asInstanceOf[WriterCommitMessage]
  }

  /** The file as a manifest has it. */
  private def describe(factory: DataWriterFactory, file: IcebergDataFile): AnyRef = {
    val table = tableOf(factory)
    val input = asInput[AnyRef](file.output)
    val counted = fileMetrics[AnyRef](null, input, metricsConfig[AnyRef](null, table))
    val made = builderFor[AnyRef](null, specOfFactory(factory))
    filePath[Any](made, location[String](file.output))
    fileKind[Any](made, parquet)
    fileLength[Any](made, lengthOf[Long](input))
    fileCounts[Any](made, if (file.nans.isEmpty) counted else withNans(counted, file.nans))
    fileOffsets[Any](made, offsetsOf(input))
    if (file.partition != null) filePartition[Any](made, file.partition)
    sortOrderId.foreach { id =>
      fileOrder[Any](made, sortOrders[java.util.Map[Int, AnyRef]](table).get(id.getInt(factory)))
    }
    buildFile[AnyRef](made)
  }

  private def offsetsOf(input: AnyRef): AnyRef = {
    val reader = openFooter[AutoCloseable](null, asParquet[AnyRef](null, input))
    try offsets[AnyRef](null, footer[AnyRef](reader))
    finally reader.close()
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
