package org.apache.spark.sql.broadhead.pythonfunctions

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.node.ObjectNode
import io.broadhead.Settings

import org.apache.spark.SparkFiles
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, Json, TimeZoneRules}
import org.apache.spark.sql.broadhead.gpu.ExecutionTarget
import org.apache.spark.sql.catalyst.expressions.BoundReference

/**
 * The target of an operator's calls.
 *
 * @param reasons why each function is called; None for one that is computed as an expression
 */
private[broadhead] case class FunctionAnswer(
    target: ExecutionTarget,
    reasons: Seq[Option[String]])

/**
 * Where Python functions run, by the code that decides it in the workers.
 *
 * A session's functions are loaded into a process of its own: sessions of a Spark Connect server
 * may have different modules of one name.
 */
private[broadhead] object FunctionAnswers {
  private val MostSessions = 8

  private val sessions =
    new RecentlyUsed[Option[String], SessionAnswers](MostSessions, _.end())

  /** Where an operator's functions run on a host with a GPU. */
  def targetOf(operator: PythonOperator): ExecutionTarget =
    of(operator, wait = true).map(_.target).getOrElse(ExecutionTarget.Host)

  /**
   * The target of an operator's calls, and why functions are called.
   *
   * @param wait whether to wait for an answer that is not known yet
   */
  def of(operator: PythonOperator, wait: Boolean): Option[FunctionAnswer] =
    sessions
      .get(Option(operator.session).map(_.sessionUUID))(new SessionAnswers)
      .answer(questionOf(operator), wait)

  private def questionOf(operator: PythonOperator): String = {
    val settings = new Settings(operator.conf)
    val encoder = new ExpressionEncoder(new ExpressionSupport(Capabilities.ofJar, settings))
    val fields = operator match {
      case eval: BroadheadEvalPython =>
        new PythonCallEncoder(encoder, Nil, eval.conf)
          .encode(overReferences(eval.calls), eval.evalType)
      case other => other.encodeFields(encoder)
    }
    val node: ObjectNode = Json.obj(fields: _*)
    node.set("op", Json.text(operator.operatorName))
    Json.write(
      Json.obj(
        "node" -> node,
        "zones" -> TimeZoneRules.encode(encoder.timeZones),
        "trace" -> Json.bool(settings.pythonTrace),
        "accelerate" -> Json.text(settings.pythonAccelerate),
        "paths" -> Json.texts(paths(operator.calls))))
  }

  /** The calls with references instead of their arguments' expressions. */
  private def overReferences(calls: Seq[PythonCall]): Seq[PythonCall] = {
    val values = calls.flatMap(_.arguments.map(_.value))
    calls.map { call =>
      call.copy(arguments = call.arguments.map { case PythonArgument(name, value) =>
        val number = values.indexWhere(_.semanticEquals(value))
        PythonArgument(name, BoundReference(number, value.dataType, value.nullable))
      })
    }
  }

  private def paths(calls: Seq[PythonCall]): Seq[String] = {
    val root = SparkFiles.getRootDirectory()
    val includes = calls.flatMap(_.functions.flatMap(_.pythonIncludes.asScala)).distinct
    root +: includes.map(name => java.nio.file.Paths.get(root).resolve(name).toString)
  }
}
