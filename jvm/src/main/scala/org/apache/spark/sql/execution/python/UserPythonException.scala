package org.apache.spark.sql.execution.python

import org.apache.spark.QueryContext
import org.apache.spark.api.python.PythonException

/**
 * Makes Spark's exception for an error of the user's Python code.
 *
 * Here, because PySpark before 4.2 and Spark Connect give the user their `PythonException` only
 * where the stack trace names this package: they tell functions in SQL from those in RDDs by it.
 */
private[sql] object UserPythonException {
  private val Text = "An exception was thrown from the Python worker"

  /** The exception with the user's traceback. Since Spark 4.2 it has an error condition. */
  def of(traceback: String): PythonException = {
    val exceptions = classOf[PythonException]
    try
      exceptions.getConstructor(classOf[String], classOf[Throwable]).newInstance(traceback, null)
    catch {
      case _: NoSuchMethodException =>
        val parameters = Map("msg" -> Text, "traceback" -> traceback)
        exceptions
          .getConstructor(
            classOf[String],
            classOf[Map[_, _]],
            classOf[Throwable],
            classOf[Array[QueryContext]],
            classOf[String])
          .newInstance("PYTHON_EXCEPTION", parameters, null, Array.empty[QueryContext], "")
    }
  }
}
