package org.apache.spark.sql.broadhead.pythonfunctions

import org.apache.spark.api.python.{PythonEvalType, PythonFunction}
import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, LevelReasons, Reasons, TypeNames}
import org.apache.spark.sql.broadhead.execution.PythonEnvironment
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression, PythonFuncExpression, PythonUDTF}
import org.apache.spark.sql.types.{DataType, MapType, StructType, YearMonthIntervalType}

/**
 * One call of the user's Python functions: a chain of functions, each of which takes the result of
 * the one before it.
 *
 * @param functions the chain, the function of the arguments first
 * @param resultId the id under which Spark's profilers collect the function's profile
 */
private[broadhead] case class PythonCall(
    name: String,
    functions: Seq[PythonFunction],
    arguments: Seq[PythonArgument],
    evalType: Int,
    dataType: DataType,
    deterministic: Boolean,
    resultId: Long)

/** An argument of a call, with its name if it is passed by name. */
private[broadhead] case class PythonArgument(name: Option[String], value: Expression)

private[broadhead] object PythonCall {

  /** Functions whose rows Spark pickles. */
  private val Pickled = Set(PythonEvalType.SQL_BATCHED_UDF, PythonEvalType.SQL_TABLE_UDF)

  /** The call of a function expression, with the functions in its arguments. */
  def of(expression: PythonFuncExpression): PythonCall = {
    val below = expression.children match {
      case Seq(inner: PythonFuncExpression) =>
        val chained = of(inner)
        (chained.functions, chained.arguments, chained.deterministic)
      case arguments => (Nil, arguments.map(argument), true)
    }
    val (functions, arguments, deterministic) = below
    PythonCall(
      expression.name,
      functions :+ expression.func,
      arguments,
      expression.evalType,
      expression.dataType,
      deterministic && expression.udfDeterministic,
      expression.resultId.id)
  }

  /** The call of a table function, whose type is that of its rows. */
  def ofTable(udtf: PythonUDTF): PythonCall =
    PythonCall(
      udtf.name,
      Seq(udtf.func),
      udtf.children.map(argument),
      udtf.evalType,
      udtf.elementSchema,
      udtf.udfDeterministic,
      udtf.resultId.id)

  private def argument(expression: Expression): PythonArgument = expression match {
    case NamedArgumentExpression(name, value) => PythonArgument(Some(name), value)
    case value => PythonArgument(None, value)
  }

  /** Why the engine cannot make a call. */
  def reasons(call: PythonCall, support: ExpressionSupport): Seq[String] =
    functionReasons(call) ++ dictReasons(call, support) ++
      typeReasons(call.dataType, s"the result of ${call.name}", support) ++
      call.arguments.flatMap { argument =>
        support.reasons(argument.value) ++
          typeReasons(argument.value.dataType, s"an argument of ${call.name}", support)
      }

  /** Spark sends the maps of such functions through hash maps, which have an order of their own. */
  private def dictReasons(call: PythonCall, support: ExpressionSupport): Seq[String] = {
    val types = call.dataType +: call.arguments.map(_.value.dataType)
    Reasons.when(
      support.exactOnly && Pickled.contains(call.evalType) &&
        types.exists(_.existsRecursively(_.isInstanceOf[MapType])))(
      LevelReasons.of("the order of a dict", "documented difference"))
  }

  /** Why functions cannot be called, whatever their arguments are. */
  def functionReasons(call: PythonCall): Seq[String] =
    PythonKinds.reasons(call.evalType) ++ PythonEnvironment.reasons(call.functions)

  /** Why values of a type cannot go to a Python function, or come from one. */
  def typeReasons(dataType: DataType, what: String, support: ExpressionSupport): Seq[String] =
    support.typeReasons(dataType, what) ++
      // pyarrow has no intervals of months.
      Reasons.when(dataType.existsRecursively(_.isInstanceOf[YearMonthIntervalType]))(
        s"$what of type ${dataType.simpleString} is not supported") ++
      Reasons.when(repeatsNames(dataType))(s"$what has a struct with repeated field names") ++
      Reasons.when(TypeNames.holdsCollation(dataType))(
        s"$what has strings with a collation, which is not supported")

  private def repeatsNames(dataType: DataType): Boolean = dataType.existsRecursively {
    case StructType(fields) => fields.map(_.name).distinct.length < fields.length
    case _ => false
  }
}
