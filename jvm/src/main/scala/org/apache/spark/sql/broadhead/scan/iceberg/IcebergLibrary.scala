package org.apache.spark.sql.broadhead.scan.iceberg

import java.lang.reflect.{InvocationTargetException, Method, Proxy}
import java.util.function.{BiFunction, Function => JavaFunction, LongConsumer}

import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, Scan}

/** A field of an Iceberg schema; a list has one child, a map two. */
private[broadhead] case class IcebergField(
    id: Int,
    name: String,
    kind: String,
    default: Option[Any],
    children: Seq[IcebergField]) {

  /** The field and all fields below it. */
  def all: Seq[IcebergField] = this +: children.flatMap(_.all)
}

/** A part of a data file, as Iceberg's `FileScanTask` has it. */
private[iceberg] case class IcebergTask(
    location: String,
    start: Long,
    length: Long,
    fileLength: Long)

/**
 * The members of Iceberg's classes that scans need, found by reflection: each Spark has its own
 * build of Iceberg, which is not on the class path of ours.
 *
 * Throws `ReflectiveOperationException` when it is made for a version without one of them.
 */
private[broadhead] class IcebergLibrary(loader: ClassLoader) {
  private def icebergClass(name: String): Class[_] =
    Class.forName(s"org.apache.iceberg.$name", true, loader)

  private def member(owner: String, name: String, parameters: Class[_]*): Member =
    new Member(declared(icebergClass(owner), name, parameters))

  private def declared(owner: Class[_], name: String, parameters: Seq[Class[_]]): Method =
    try owner.getMethod(name, parameters: _*)
    catch { case _: NoSuchMethodException => owner.getDeclaredMethod(name, parameters: _*) }

  private val table = member("spark.source.SparkScan", "table")
  private val projection = member("spark.source.SparkScan", "projection")
  private val filters = member("spark.source.SparkScan", "filters")
  private val taskGroup = member("spark.source.SparkInputPartition", "taskGroup")
  private val tableOfPartition = member("spark.source.SparkInputPartition", "table")
  private val tasksOfGroup = member("ScanTaskGroup", "tasks")
  private val isDataTask = member("ScanTask", "isDataTask")
  private val isFileScanTask = member("ScanTask", "isFileScanTask")
  private val file = member("ContentScanTask", "file")
  private val start = member("ContentScanTask", "start")
  private val length = member("ContentScanTask", "length")
  private val deletes = member("FileScanTask", "deletes")
  private val location = member("ContentFile", "location")
  private val format = member("ContentFile", "format")
  private val content = member("ContentFile", "content")
  private val fileLength = member("ContentFile", "fileSizeInBytes")
  private val io = member("Table", "io")
  private val encryption = member("Table", "encryption")
  private val partitionType = member("Partitioning", "partitionType", icebergClass("Table"))
  private val columns = member("Schema", "columns")
  private val fieldId = member("types.Types$NestedField", "fieldId")
  private val fieldName = member("types.Types$NestedField", "name")
  private val fieldType = member("types.Types$NestedField", "type")
  private val fieldDefault = member("types.Types$NestedField", "initialDefault")
  private val typeId = member("types.Type", "typeId")
  private val isNested = member("types.Type", "isNestedType")
  private val asNested = member("types.Type", "asNestedType")
  private val fieldsOfNested = member("types.Type$NestedType", "fields")

  private val toSpark =
    member("spark.SparkUtil", "internalToSpark", icebergClass("types.Type"), classOf[Object])

  private val constants = member(
    "util.PartitionUtil",
    "constantsMap",
    icebergClass("ContentScanTask"),
    icebergClass("types.Types$StructType"),
    classOf[BiFunction[_, _, _]])

  private val newDeleteLoader =
    icebergClass("data.BaseDeleteLoader").getConstructor(classOf[JavaFunction[_, _]])

  private val loadPositions = member(
    "data.BaseDeleteLoader",
    "loadPositionDeletes",
    classOf[java.lang.Iterable[_]],
    classOf[CharSequence])

  private val eachPosition =
    member("deletes.PositionDeleteIndex", "forEach", classOf[LongConsumer])

  private val deleteInput = member("io.FileIO", "newInputFile", icebergClass("DeleteFile"))
  private val inputOfLength =
    member("io.FileIO", "newInputFile", classOf[String], java.lang.Long.TYPE)

  private val properties = member("Table", "properties")
  private val residual = member("ContentScanTask", "residual")
  private val operation = member("expressions.Expression", "op")
  private val leftOfAnd = member("expressions.And", "left")
  private val rightOfAnd = member("expressions.And", "right")
  private val leftOfOr = member("expressions.Or", "left")
  private val rightOfOr = member("expressions.Or", "right")
  private val predicate = icebergClass("expressions.UnboundPredicate")
  private val reference = member("expressions.UnboundPredicate", "ref")
  private val literals = member("expressions.UnboundPredicate", "literals")
  private val referenceName = member("expressions.Reference", "name")
  private val literalValue = member("expressions.Literal", "value")

  private val newRowReader = icebergClass("spark.source.RowDataReader").getDeclaredConstructor(
    icebergClass("Table"),
    icebergClass("io.FileIO"),
    icebergClass("ScanTaskGroup"),
    icebergClass("Schema"),
    java.lang.Boolean.TYPE,
    java.lang.Boolean.TYPE)
  newRowReader.setAccessible(true)

  private val fileScanTask = icebergClass("FileScanTask")
  private val all = member("expressions.Expressions", "alwaysTrue")

  private val newGroup =
    icebergClass("BaseScanTaskGroup").getConstructor(classOf[java.util.Collection[_]])

  private val newSchema = icebergClass("Schema").getConstructor(classOf[java.util.List[_]])

  /** The columns of a row's position, and of whether it is deleted. */
  private val positionAndMark = Seq("ROW_POSITION", "IS_DELETED").map(name =>
    icebergClass("MetadataColumns").getField(name).get(null))

  private val newStream = member("io.InputFile", "newStream")
  private val seek = member("io.SeekableInputStream", "seek", java.lang.Long.TYPE)

  /** Some versions have a `FileIO` for each scan, with credentials of its own. */
  private val ioOfPartition = Try(member("spark.source.SparkInputPartition", "io")).toOption

  def tableOf(scan: Scan): AnyRef = table[AnyRef](scan)

  /** The columns that a scan returns. */
  def columnsOf(scan: Scan): Seq[IcebergField] = columnsOfSchema(projection[AnyRef](scan))

  def columnsOfSchema(schema: AnyRef): Seq[IcebergField] =
    fields(columns[java.util.List[AnyRef]](schema))

  def propertiesOf(of: AnyRef): Map[String, String] =
    properties[java.util.Map[String, String]](of).asScala.toMap

  private def fields(of: java.util.List[AnyRef]): Seq[IcebergField] = of.asScala.toList.map(field)

  private def field(of: AnyRef): IcebergField = {
    val dataType = fieldType[AnyRef](of)
    val children: Seq[IcebergField] =
      if (isNested[Boolean](dataType)) fields(fieldsOfNested(asNested[AnyRef](dataType))) else Nil
    IcebergField(
      fieldId[Int](of),
      fieldName[String](of),
      typeId[AnyRef](dataType).toString,
      Option(fieldDefault[Any](of)).map(toSpark[Any](null, dataType, _)),
      children)
  }

  /** Iceberg's conditions of a scan: all of them hold for wanted rows. */
  def filtersOf(scan: Scan): Seq[AnyRef] = filters[java.util.List[AnyRef]](scan).asScala.toList

  def tasksOf(partition: InputPartition): Seq[AnyRef] =
    tasksOfGroup[java.util.Collection[AnyRef]](taskGroup[AnyRef](partition)).asScala.toList

  /** Whether the task's rows are those of a data file. */
  def readsDataFile(task: AnyRef): Boolean =
    isFileScanTask[Boolean](task) && !isDataTask[Boolean](task)

  def describe(task: AnyRef): IcebergTask = {
    val data = file[AnyRef](task)
    IcebergTask(
      location[String](data),
      start[Long](task),
      length[Long](task),
      fileLength[Long](data))
  }

  /** Whether all rows of a task are wanted, whatever the filters of the scan are. */
  def wantsAllRows(task: AnyRef): Boolean = operationOf(residual[AnyRef](task)) == "TRUE"

  /** The kind of a condition. */
  def operationOf(condition: AnyRef): String = operation[AnyRef](condition).toString

  /** Both sides of a conjunction or a disjunction. */
  def sidesOf(condition: AnyRef): (AnyRef, AnyRef) =
    if (operationOf(condition) == "AND") (leftOfAnd(condition), rightOfAnd(condition))
    else (leftOfOr(condition), rightOfOr(condition))

  /** The column that a condition compares and the values to which it does; None for others. */
  def predicateOf(condition: AnyRef): Option[(String, Seq[Any])] =
    Optional.when(predicate.isInstance(condition)) {
      val values = Option(literals[java.util.List[AnyRef]](condition)).map(_.asScala.toList)
      val name = referenceName[String](reference[AnyRef](condition))
      name -> values.getOrElse(Nil).map(literalValue[Any](_))
    }

  /** The table's names of columns in files without field ids, as JSON. */
  def nameMappingOf(of: AnyRef): Option[String] =
    Option(properties[java.util.Map[String, String]](of).get("schema.name-mapping.default"))

  /** The bytes of the file that a task reads. */
  def lengthOf(task: AnyRef): Long = length[Long](task)

  def formatOf(task: AnyRef): String = format[AnyRef](file[AnyRef](task)).toString

  private def deletesOf(task: AnyRef): Seq[AnyRef] =
    deletes[java.util.List[AnyRef]](task).asScala.toList

  private def isPositional(delete: AnyRef): Boolean =
    content[AnyRef](delete).toString == "POSITION_DELETES"

  private def hasEqualityDeletes(task: AnyRef): Boolean = deletesOf(task).exists(!isPositional(_))

  /** The class of the files' access. */
  def ioOf(of: AnyRef): AnyRef = io[AnyRef](of)

  def isEncrypted(of: AnyRef): Boolean =
    encryption[AnyRef](of).getClass.getSimpleName != "PlaintextEncryptionManager"

  /** Hadoop's configuration, if all that the access does is to call Hadoop's file systems. */
  def hadoopConf(access: AnyRef): Option[Configuration] =
    Optional.when(access.getClass.getName == "org.apache.iceberg.hadoop.HadoopFileIO")(
      access.asInstanceOf[org.apache.hadoop.conf.Configurable].getConf)

  private def ioOfTask(partition: InputPartition): AnyRef =
    ioOfPartition
      .map(_[AnyRef](partition))
      .getOrElse(io[AnyRef](tableOfPartition[AnyRef](partition)))

  /** Opens a file with the access of a scan. */
  def open(partition: InputPartition, location: String, length: Long): java.io.InputStream =
    newStream(inputOfLength[AnyRef](ioOfTask(partition), location, length))

  def seekTo(stream: java.io.InputStream, position: Long): Unit = seek[Any](stream, position)

  /**
   * The values of a task's columns that are the same for all rows, by field id, as Catalyst's.
   *
   * @param withPartition whether the column of the whole partition value is wanted
   */
  def constantsOf(
      partition: InputPartition,
      task: AnyRef,
      withPartition: Boolean): Map[Int, Any] = {
    val convert: BiFunction[AnyRef, Any, Any] = (dataType, value) =>
      toSpark[Any](null, dataType, value)
    val whole =
      if (withPartition) partitionType[AnyRef](null, tableOfPartition[AnyRef](partition))
      else null
    constants[java.util.Map[Int, Any]](null, task, whole, convert).asScala.toMap
  }

  /** The positions of the rows of a task's file that are deleted, ascending. */
  def deletedPositions(partition: InputPartition, task: AnyRef): Option[Array[Long]] =
    if (hasEqualityDeletes(task)) Some(markedPositions(partition, task))
    else listedPositions(partition, task)

  /** Iceberg's own reader compares the rows of the task with those of the equality deletes. */
  private def markedPositions(partition: InputPartition, task: AnyRef): Array[Long] = {
    val reader = newRowReader
      .newInstance(
        tableOfPartition[AnyRef](partition),
        ioOfTask(partition),
        newGroup.newInstance(Seq(unfiltered(task)).asJava).asInstanceOf[AnyRef],
        newSchema.newInstance(positionAndMark.asJava).asInstanceOf[AnyRef],
        java.lang.Boolean.TRUE,
        java.lang.Boolean.FALSE)
      .asInstanceOf[PartitionReader[InternalRow]]
    try {
      val found = Array.newBuilder[Long]
      while (reader.next()) {
        val row = reader.get()
        if (row.getBoolean(1)) found += row.getLong(0)
      }
      found.result().sorted
    } finally (reader: AutoCloseable).close()
  }

  /** The task without the filters of the scan, whose columns the reader would have to read. */
  private def unfiltered(task: AnyRef): AnyRef =
    Proxy.newProxyInstance(
      loader,
      Array(fileScanTask),
      (_, method, arguments) =>
        if (method.getName == "residual") all[AnyRef](null)
        else method.invoke(task, Option(arguments).getOrElse(Array.empty[AnyRef]): _*))

  private def listedPositions(partition: InputPartition, task: AnyRef): Option[Array[Long]] = {
    val positional = deletesOf(task).filter(isPositional)
    Optional.when(positional.nonEmpty) {
      val access = ioOfTask(partition)
      val read: JavaFunction[AnyRef, AnyRef] = delete => deleteInput[AnyRef](access, delete)
      val path = location[String](file[AnyRef](task))
      val index =
        loadPositions[AnyRef](newDeleteLoader.newInstance(read), positional.asJava, path)
      val found = Array.newBuilder[Long]
      val add: LongConsumer = position => found += position
      eachPosition[Any](index, add)
      found.result().sorted
    }
  }
}

private[broadhead] object IcebergLibrary {
  private val known = TrieMap[ClassLoader, Try[IcebergLibrary]]()

  /** The library that an object of it belongs to; fails for a version with other members. */
  def of(member: AnyRef): Try[IcebergLibrary] = {
    val loader = member.getClass.getClassLoader
    known.getOrElseUpdate(loader, made(loader))
  }

  private def made(loader: ClassLoader): Try[IcebergLibrary] =
    try Success(new IcebergLibrary(loader))
    catch { case error @ (_: Exception | _: LinkageError) => Failure(error) }
}

/** A method of a class that is known at run time only. */
private[broadhead] class Member(method: Method) {
  method.setAccessible(true)

  /** Calls it; the target of a static method is null. */
  def apply[T](target: Any, arguments: Any*): T =
    try {
      method
        .invoke(target, arguments.map(_.asInstanceOf[AnyRef]): _*)
        .asInstanceOf[T]
    } catch { case error: InvocationTargetException => throw error.getCause }
}
