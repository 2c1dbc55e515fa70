package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda
import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.util.Locale

import scala.util.{Failure, Success}

import com.fasterxml.jackson.databind.JsonNode
import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.{Json, Reasons, TypeNames}
import org.apache.spark.sql.broadhead.execution.PythonCommand
import org.apache.spark.sql.broadhead.operators.FragmentOperator
import org.apache.spark.sql.broadhead.planning.FragmentRewrite
import org.apache.spark.sql.broadhead.results.BroadheadColumnarToRow
import org.apache.spark.sql.broadhead.scan.iceberg.{IcebergField, IcebergLibrary}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count, Partial}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.write.{BatchWrite, DataWriterFactory, Write}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec
import org.apache.spark.sql.types._

/**
 * Writes into Iceberg's tables.
 *
 * Spark's command asks the table's `Write` for a factory of writers, and gives each task's writer
 * the rows. The plan gets a `Write` whose factory is ours ([[EngineWriterFactory]]): if the rows
 * are those of a fragment, its writer takes the file of a worker. All else is Iceberg's own code.
 */
private[broadhead] object IcebergWrites {

  /** The plan with such a `Write`, or with the reasons against it. */
  def prepared(plan: SparkPlan): SparkPlan = plan match {
    case command: V2TableWriteExec if isIcebergs(command) && BroadheadState.available =>
      val settings = new Settings(command.conf)
      val direct = command.withNewChildren(command.children.map(BroadheadColumnarToRow.atEnd))
      val write = writeOf(command).get
      val reasons = reasonsOf(write, settings)
      if (!settings.enabled) plan
      else if (reasons.isEmpty) replaced(direct, write)
      else {
        FragmentRewrite.setReasons(direct, reasons)
        direct
      }
    case other => other
  }

  private def isIcebergs(command: V2TableWriteExec): Boolean =
    writeOf(command).exists { write =>
      Iterator
        .iterate[Class[_]](write.getClass)(_.getSuperclass)
        .takeWhile(_ != null)
        .exists(_.getName == "org.apache.iceberg.spark.source.SparkWrite")
    }

  private def writeOf(command: SparkPlan): Option[Write] =
    command.productIterator.collectFirst { case write: Write => write }

  private def replaced(command: SparkPlan, write: Write): SparkPlan = {
    val arguments = command.productIterator.map {
      case found: Write if found eq write => EngineWrite.of(write)
      case other => other.asInstanceOf[AnyRef]
    }
    val made = command.makeCopy(arguments.toArray)
    made.copyTagsFrom(command)
    made
  }

  /** Whether the files of a command are written by the engine, if its rows are a fragment's. */
  def isPrepared(command: SparkPlan): Boolean =
    command.isInstanceOf[V2TableWriteExec] && writeOf(command).exists(EngineWrite.is)

  private def reasonsOf(write: Write, settings: Settings): Seq[String] =
    (IcebergWriteLibrary.of(write), IcebergLibrary.of(write)) match {
      case (Success(library), Success(tables)) =>
        new IcebergWriteRules(library.fieldsOf(write), tables, settings).reasons
      case (Failure(error), _) => unknown(error)
      case (_, Failure(error)) => unknown(error)
    }

  private def unknown(error: Throwable) =
    Seq(s"this version of Iceberg is not known: ${error.getMessage}")

  /** The write of a job's function, if it is that of Spark's command with our factory. */
  def of(function: SerializedLambda, root: FragmentOperator): Option[ResultWrite] = {
    val captured = WritingJobs.captured(function)
    for {
      factory <- captured.collectFirst { case factory: EngineWriterFactory => factory }
      // Others choose columns of the rows.
      if captured.exists(_.getClass.getName.endsWith("v2.DataWritingSparkTask$"))
      write <- root.session.withActive(new IcebergWrite(root, factory).prepared)
    } yield write
  }
}

/** Which tables the engine writes. */
private[write] class IcebergWriteRules(
    fields: IcebergWriteFields,
    library: IcebergLibrary,
    settings: Settings) {
  private val Codec = "write.parquet.compression-codec"

  val columns: Seq[IcebergField] = library.columnsOfSchema(fields.schema)

  private val properties = library.propertiesOf(fields.table) ++ fields.properties

  private val Codecs = Map(
    "zstd" -> "zstd",
    "snappy" -> "snappy",
    "gzip" -> "gzip",
    "uncompressed" -> "none",
    "brotli" -> "brotli")

  /** pyarrow's name of the compression. */
  def compression: Option[String] =
    Codecs.get(properties.getOrElse(Codec, "zstd").toLowerCase(Locale.ROOT))

  def reasons: Seq[String] =
    Reasons.when(!settings.operatorEnabled(WriteFilesCase.name))(
      s"switched off by spark.broadhead.operator.${WriteFilesCase.name}.enabled") ++
      Reasons.when(fields.format != "PARQUET")(s"files of ${fields.format} are not written") ++
      Reasons.when(fields.isPartitioned)("partitioned tables of Iceberg are not written") ++
      Reasons.when(fields.isSorted)("tables of Iceberg with a sort order are not written") ++
      Reasons.when(library.isEncrypted(fields.table))("encrypted tables are not written") ++
      propertyReasons ++ columnReasons

  private def propertyReasons: Seq[String] = {
    val known = Set(Codec, "write.parquet.compression-level")
    properties.keys.toSeq.sorted
      .filter(key => key.startsWith("write.parquet.") && !known(key))
      // Columns of this type are not written at all.
      .filterNot(_.contains("variant"))
      .map(key => s"the table's property $key is not supported") ++
      Reasons.when(compression.isEmpty)(
        s"files with the compression ${properties(Codec)} are not written")
  }

  private def columnReasons: Seq[String] =
    if (columns.map(_.name) != fields.rows.fieldNames.toSeq)
      Seq("the rows have other columns than the table's files")
    else
      columns.zip(fields.rows).flatMap { case (column, row) =>
        val kinds = column.all.map(_.kind).distinct.filterNot(Known)
        val nested = column.children.flatMap(_.all).map(_.kind).exists(Floating)
        kinds.map(kind => s"columns of Iceberg's type $kind (${column.name}) are not written") ++
          Reasons.when(nested)(s"floats inside of column ${column.name} are not counted") ++
          Reasons.when(TypeNames.holdsCollation(row.dataType))(
            s"column ${column.name} has a collation, which is not written")
      }

  private def Floating = Set("FLOAT", "DOUBLE")

  private def Known = Floating ++ Set("BOOLEAN", "INTEGER", "LONG", "DATE", "TIMESTAMP", "STRING",
    "BINARY", "DECIMAL", "STRUCT", "LIST", "MAP")
}

/** A job of Spark's command over the rows of a fragment. */
private class IcebergWrite(root: FragmentOperator, factory: EngineWriterFactory) extends Logging {
  private val write = new FragmentFileWrite(root)

  /** The write; none if the engine does not write these rows. */
  def prepared: Option[ResultWrite] =
    for {
      library <- IcebergWriteLibrary.of(factory.write).toOption
      tables <- IcebergLibrary.of(factory.write).toOption
      fields = library.fieldsOf(factory.write)
      rules = new IcebergWriteRules(fields, tables, new Settings(root.conf))
      floating = floatingColumns(rules.columns)
      if isWritten(fields, floating.map(_._2))
      json <- write.json(
        root.output,
        root.output.indices,
        settings(rules, library.textOf(fields.schema)),
        floating.map(_._2))
    } yield new IcebergResultWrite(
      factory,
      PythonCommand.pickle(json),
      write.metrics,
      floating.map(_._1))

  private def isWritten(fields: IcebergWriteFields, counts: Seq[AggregateExpression]): Boolean = {
    val output = root.output
    val reasons = output.flatMap(write.support.columnReasons) ++
      counts.flatMap(write.support.aggregateReasons) ++
      Reasons.when(
        output.map(_.name) != fields.rows.fieldNames.toSeq ||
          !output.zip(fields.rows).forall { case (column, field) =>
            DataTypeUtils.sameType(column.dataType, field.dataType)
          })("the rows have other columns than the write")
    if (reasons.nonEmpty) logInfo(s"Iceberg writes rows of a fragment: ${reasons.mkString("; ")}")
    reasons.isEmpty
  }

  /** The ids of the columns of floats, each with an aggregate that counts its NaN. */
  private def floatingColumns(columns: Seq[IcebergField]): Seq[(Int, AggregateExpression)] =
    columns.zip(root.output).collect {
      case (field, column) if column.dataType == FloatType || column.dataType == DoubleType =>
        val marked = If(IsNaN(column), Literal(1), Literal(null, IntegerType))
        field.id -> AggregateExpression(Count(Seq(marked)), Partial, isDistinct = false)
    }

  private def settings(rules: IcebergWriteRules, schema: String): Seq[(String, JsonNode)] = Seq(
    "compression" -> Json.text(rules.compression.get),
    "dictionary" -> Json.bool(true),
    "int96" -> Json.bool(false),
    "metadata" -> Json.obj("iceberg.schema" -> Json.text(schema)),
    "fieldIds" -> Json.array(rules.columns.map(ids)))

  private def ids(field: IcebergField): JsonNode = Json.obj(
    "id" -> Json.number(field.id.toLong),
    "children" -> Json.array(field.children.map(ids)))
}

/** A `Write` that makes a factory of ours of Iceberg's. */
private object EngineWrite {
  def of(write: Write): Write = proxy[Write](write, classOf[Write]) {
    case ("toBatch", batch: BatchWrite) =>
      proxy[BatchWrite](batch, classOf[BatchWrite]) {
        case ("createBatchWriterFactory", factory: DataWriterFactory) =>
          new EngineWriterFactory(factory, write)
        case (_, result) => result
      }
    case ("toString", name) => s"Broadhead$name"
    case (_, result) => result
  }

  def is(write: Write): Boolean = Proxy.isProxyClass(write.getClass) &&
    Proxy.getInvocationHandler(write).isInstanceOf[Changed]

  /** The same object, with other results: an interface may have more methods in other versions. */
  private def proxy[T](of: AnyRef, kind: Class[_])(
      change: PartialFunction[(String, Any), Any]): T =
    Proxy
      .newProxyInstance(getClass.getClassLoader, Array(kind), new Changed(of, change))
      .asInstanceOf[T]

  private class Changed(of: AnyRef, change: PartialFunction[(String, Any), Any])
      extends InvocationHandler {
    override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = {
      method.setAccessible(true)
      val result =
        try method.invoke(of, Option(arguments).getOrElse(Array.empty[AnyRef]): _*)
        catch { case error: InvocationTargetException => throw error.getCause }
      change((method.getName, result)).asInstanceOf[AnyRef]
    }
  }
}
