package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda
import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import scala.util.{Failure, Success}

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.fragment.{FragmentOperator, PlanReasons}
import org.apache.spark.sql.broadhead.scan.iceberg.IcebergLibrary
import org.apache.spark.sql.connector.write.{BatchWrite, DataWriterFactory, Write}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec

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
      val reasons = reasonsOf(command, settings)
      if (!settings.enabled) plan
      else if (reasons.isEmpty) replaced(direct, write)
      else {
        PlanReasons.set(direct, reasons)
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

  private def reasonsOf(command: V2TableWriteExec, settings: Settings): Seq[String] = {
    val write = writeOf(command).get
    (IcebergWriteLibrary.of(write), IcebergLibrary.of(write)) match {
      case (Success(library), Success(tables)) =>
        new IcebergWriteRules(library, tables, write, settings).reasons(command.query.output)
      case (Failure(error), _) => unknown(error)
      case (_, Failure(error)) => unknown(error)
    }
  }

  private def unknown(error: Throwable) =
    Seq(s"this version of Iceberg is not known: ${error.getMessage}")

  /** The write of a job's function, if it is that of Spark's command with our factory. */
  def of(function: SerializedLambda, root: FragmentOperator): Option[ResultWrite] = {
    val captured = WritingJobs.captured(function)
    for {
      factory <- captured.collectFirst { case factory: EngineWriterFactory => factory }
      rows <- captured.flatMap(WrittenColumnsOfTask.of).headOption
      write <- root.session.withActive(new IcebergWrite(root, factory, rows).prepared)
    } yield write
  }
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
