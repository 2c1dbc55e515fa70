package org.apache.spark.sql.broadhead.encoding

import java.util.IdentityHashMap

import com.fasterxml.jackson.databind.JsonNode
import io.broadhead.Settings

import org.apache.spark.sql.broadhead.evaluation.{AggregateEvaluation, ConstantErrors, ExpressionEvaluation}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.objects.InvokeLike
import org.apache.spark.sql.execution.InSubqueryExec
import org.apache.spark.sql.types.{DataType, NullType}

/**
 * The reasons why the engine cannot compute an expression; none if it can.
 *
 * They depend on classes, types, fields and literals alone, so that the result for an expression
 * never changes while a query is planned again.
 */
private[broadhead] class ExpressionSupport(capabilities: Capabilities, settings: Settings) {

  /** By identity: each level of an expression asks for the reasons of all levels below it. */
  private val known = new IdentityHashMap[Expression, Seq[String]]()

  /** Why an expression, which may be a plain column, cannot be a result of an operator. */
  def reasons(expression: Expression): Seq[String] = {
    val own = ownReasons(expression)
    if (own.nonEmpty && isEvaluated(expression)) Nil else own
  }

  /** Why the engine itself cannot compute an expression, though Spark may evaluate parts of it. */
  private def ownReasons(expression: Expression): Seq[String] =
    Option(known.get(expression)).getOrElse {
      val found = findReasons(expression)
      known.put(expression, found)
      found
    }

  private def findReasons(expression: Expression): Seq[String] =
    ExpressionEncoder.strip(expression) match {
      case attribute: Attribute => columnReasons(attribute)
      case bound: BoundReference => typeReasons(bound.dataType, s"column ${bound.ordinal}")
      case literal: Literal => literalReasons(literal)
      case value if ExpressionEncoder.isSubqueryValue(value) =>
        valueReasons(value.dataType, "a scalar subquery")
      case in: InSubqueryExec => reasons(ExpressionEncoder.membership(in))
      case RowCounter(counter) => (counter.value +: counter.condition.toSeq).flatMap(reasons)
      case tried: TryEval =>
        // An error in a part that Spark evaluates would end the task.
        functionReasons(tried) ++ reasons(tried.child) ++ partsBySpark(tried.child)
      case function =>
        functionReasons(function) ++ FunctionCalls.argumentsOf(function).flatMap(reasons)
    }

  /** Whether Spark evaluates an expression for the engine, which cannot compute it. */
  def isBySpark(expression: Expression): Boolean =
    ownReasons(expression).nonEmpty && isEvaluated(expression)

  /** The reasons why Spark evaluates parts of an expression. */
  def partsBySpark(expression: Expression): Seq[String] =
    ExpressionEncoder.strip(expression) match {
      // The later phases read the buffers.
      case AggregateExpression(_, PartialMerge | Final, _, _, _) => Nil
      case own: AggregateExpression if isBySpark(own) => engineReasons(own).take(1)
      case own if isBySpark(own) => ownReasons(own).take(1)
      case other => FunctionCalls.argumentsOf(other).flatMap(partsBySpark)
    }

  /**
   * The functions that take longer in the engine than in Spark, with nanoseconds a row on the CPU.
   *
   * What Spark evaluates for the engine goes to the JVM and back.
   *
   * @param onGpu whether tasks may run on a GPU: only what is computed on the host takes longer
   */
  def lags(expression: Expression, onGpu: Boolean): Seq[(String, Int)] =
    ExpressionEncoder.strip(expression) match {
      case AggregateExpression(_, PartialMerge | Final, _, _, _) => Nil
      case own: AggregateExpression if isBySpark(own) =>
        Seq(nameOf(own.aggregateFunction) -> ExpressionSupport.AggregateLag)
      case own if isBySpark(own) => Seq(nameOf(own) -> ExpressionSupport.EvaluationLag)
      case other =>
        capabilities.expressions
          .get(FunctionCalls.nameOf(other))
          .filter(capability => capability.lag > 0 && (capability.onHost || !onGpu))
          .map(capability => capability.name -> capability.lag)
          .toSeq ++ FunctionCalls.argumentsOf(other).flatMap(lags(_, onGpu))
    }

  private def isEvaluated(expression: Expression): Boolean =
    settings.sparkExpressions &&
      ExpressionEvaluation.isPossible(
        ExpressionEncoder.strip(expression),
        typeReasons(_, "").isEmpty)

  /** Why a column cannot be passed to or from the engine. */
  def columnReasons(attribute: Attribute): Seq[String] =
    typeReasons(attribute.dataType, s"column ${attribute.name}")

  /** Why an aggregate function cannot be computed in its phase. */
  def aggregateReasons(aggregate: AggregateExpression): Seq[String] =
    if (isBySpark(aggregate)) Nil else engineReasons(aggregate)

  /** Whether Spark computes an aggregate for the engine, which cannot compute it. */
  def isBySpark(aggregate: AggregateExpression): Boolean =
    settings.sparkExpressions &&
      AggregateEvaluation.isPossible(aggregate, typeReasons(_, "").isEmpty) &&
      engineReasons(aggregate).nonEmpty

  /** Why the engine itself cannot compute an aggregate function, though Spark may. */
  def engineReasons(aggregate: AggregateExpression): Seq[String] = {
    val function = aggregate.aggregateFunction
    val own = capabilityOf(function) match {
      case None => Seq(s"aggregate function ${nameOf(function)} is not supported")
      case Some(capability) =>
        callReasons(function, capability) ++
          Reasons.when(aggregate.filter.isDefined && !capability.filter)(
            s"FILTER in ${capability.name} is not supported") ++
          Reasons.when(capability.wholeGroups && aggregate.mode != Complete)(
            s"${capability.name} is not supported in several phases") ++
          // Spark's own merges of a few large buffers are faster.
          Reasons.when(capability.wholeTasks && aggregate.mode == PartialMerge)(
            s"${capability.name} beside DISTINCT is not supported")
    }
    val buffers =
      if (readsWholeGroups(function)) Nil
      else
        function.aggBufferAttributes
          .flatMap(buffer => bufferReasons(buffer.dataType, s"the buffer of ${nameOf(function)}"))
    val inputs = aggregate.mode match {
      case Partial | Complete =>
        (ConstantArguments.of(function) ++ aggregate.filter).flatMap(reasons)
      case PartialMerge | Final => Nil
    }
    own ++ buffers ++ inputs
  }

  private def capabilityOf(function: AggregateFunction): Option[FunctionCapability] =
    capabilities.aggregates.get(function.getClass.getSimpleName)

  /** Whether the engine computes an aggregate of all rows of a group at once. */
  def readsWholeGroups(function: AggregateFunction): Boolean =
    capabilityOf(function).exists(_.wholeGroups)

  /** Whether an aggregate's result depends on what Spark's phases read together. */
  def readsWholeTasks(aggregate: AggregateExpression): Boolean =
    capabilityOf(aggregate.aggregateFunction).fold(isBySpark(aggregate))(_.wholeTasks)

  /** Why an aggregate cannot be computed over a window frame that is not the whole partition. */
  def movingFrameReasons(function: AggregateFunction): Seq[String] =
    capabilityOf(function)
      .filterNot(_.frames)
      .map(capability =>
        s"${capability.name} over a frame other than the whole partition is not supported")
      .toSeq

  /** Why a window function other than an aggregate cannot be computed. */
  def windowReasons(function: Expression): Seq[String] =
    capabilities.windows.get(function.getClass.getSimpleName) match {
      case None => Seq(s"window function ${nameOf(function)} is not supported")
      case Some(capability) =>
        callReasons(function, capability) ++ function.children.flatMap(reasons)
    }

  private def functionReasons(function: Expression): Seq[String] =
    capabilities.expressions.get(FunctionCalls.nameOf(function)) match {
      case Some(capability) => callReasons(function, capability)
      case None =>
        function match {
          case user: UserDefinedExpression =>
            Seq(s"user-defined function ${user.name} is not supported")
          case _ => Seq(s"function ${nameOf(function)} is not supported")
        }
    }

  private def callReasons(function: Expression, capability: FunctionCapability): Seq[String] =
    Reasons.when(!settings.functionEnabled(capability.name))(
      s"switched off by spark.broadhead.function.${capability.name}.enabled") ++
      Reasons.when(ConstantErrors.raises(function))(
        s"${capability.name} raises an error without a row") ++
      fieldReasons(function, capability) ++
      signatureReasons(function, capability)

  private def fieldReasons(function: Expression, capability: FunctionCapability): Seq[String] = {
    val fields = ExpressionFields.of(function)
    val unknown =
      fields.unknown.map(name => s"field $name of ${capability.name} is not supported")
    unknown ++ fields.values.flatMap { case (name, value) =>
      capability.fields.get(name) match {
        case Some(None) => None
        case Some(Some(allowed)) if allowed.contains(value) => None
        case _ => Some(s"${capability.name} with $name = ${shown(value)} is not supported")
      }
    }
  }

  private def signatureReasons(
      function: Expression,
      capability: FunctionCapability): Seq[String] = {
    val arguments = argumentsOf(function).map(ExpressionEncoder.strip).toIndexedSeq
    val name = capability.name
    val typed = signaturesFor(capability, arguments)
    val returning = typed.filter(_.returns.contains(TypeNames.of(function.dataType)))
    val wanted = returning.filter(_.level == Capabilities.Exact || !settings.exact)
    def types = arguments.map(argument => readable(argument.dataType)).mkString(", ")
    if (typed.isEmpty) {
      Seq(s"$name is not supported for arguments of type ($types)")
    } else if (returning.isEmpty) {
      Seq(s"$name from ($types) to ${readable(function.dataType)} is not supported")
    } else if (wanted.isEmpty) {
      Seq(LevelReasons.of(name, returning.head.level))
    } else {
      val problems = wanted.map(literalProblem(_, arguments, name))
      if (problems.exists(_.isEmpty)) Nil else problems.flatten.distinct.take(1)
    }
  }

  private def signaturesFor(
      capability: FunctionCapability,
      arguments: IndexedSeq[Expression]): Seq[Signature] = {
    val names = arguments.map(argument => TypeNames.of(argument.dataType))
    capability.signatures.filter(fitsTypes(_, names))
  }

  /** Whether only exact results are wanted. */
  def exactOnly: Boolean = settings.exact

  /** Why an operator, by Spark's name, stays with Spark where only exact results are wanted. */
  def operatorReasons(name: String): Seq[String] = {
    val level = capabilities.operators.getOrElse(name, Capabilities.Exact)
    Reasons.when(settings.exact && level != Capabilities.Exact)(LevelReasons.of(name, level))
  }

  /** How equal the rows of an operator are to Spark's, if they are not exact. */
  def operatorLevel(name: String): Option[String] =
    capabilities.operators.get(name).filter(_ != Capabilities.Exact)

  /** The functions in an expression whose results are not exact, with their levels. */
  def levels(expression: Expression): Seq[(String, String)] =
    ExpressionEncoder.strip(expression) match {
      case own: AggregateExpression if isBySpark(own) => Nil
      case AggregateExpression(function, _, _, filter, _) =>
        levelOf(function, capabilityOf(function)) ++
          (function.children ++ filter).flatMap(levels)
      case own if isBySpark(own) => Nil
      case other =>
        val name = FunctionCalls.nameOf(other)
        val found = capabilities.expressions.get(name).orElse(capabilities.windows.get(name))
        levelOf(other, found) ++ FunctionCalls.argumentsOf(other).flatMap(levels)
    }

  private def levelOf(
      function: Expression,
      capability: Option[FunctionCapability]): Seq[(String, String)] =
    for {
      own <- capability.toSeq
      arguments = argumentsOf(function).map(ExpressionEncoder.strip).toIndexedSeq
      signature <- signaturesFor(own, arguments).take(1) if signature.level != Capabilities.Exact
    } yield own.name -> signature.level

  private def argumentsOf(function: Expression): Seq[Expression] = function match {
    case aggregate: AggregateFunction => ConstantArguments.of(aggregate)
    case other => FunctionCalls.argumentsOf(other)
  }

  private def fitsTypes(signature: Signature, arguments: IndexedSeq[String]): Boolean = {
    val declared = signature.arguments
    val rightCount =
      if (signature.variadic) arguments.length >= declared.length - 1
      else arguments.length == declared.length
    rightCount && arguments.indices.forall { index =>
      declared(math.min(index, declared.length - 1)) match {
        case ArgumentTypes.OneOf(names) => names.contains(arguments(index))
        case ArgumentTypes.SameAsBefore =>
          index == 0 || arguments(index - 1) == arguments(index)
      }
    }
  }

  private def literalProblem(
      signature: Signature,
      arguments: IndexedSeq[Expression],
      name: String): Option[String] = {
    val variable = signature.literal.toSeq.sorted
      .find(index => arguments.isDefinedAt(index) && !isLiteral(arguments(index)))
    variable.map(index => s"argument ${index + 1} of $name must be a literal").orElse {
      signature.values.toList.sortBy(_._1).collectFirst {
        case (index, allowed)
            if arguments.isDefinedAt(index) &&
              !literalOf(arguments(index)).exists(allowed.contains) =>
          val list = allowed.toSeq.map(shown).sorted.mkString(", ")
          s"argument ${index + 1} of $name must be one of: $list"
      }
    }
  }

  private def isLiteral(expression: Expression): Boolean =
    expression.isInstanceOf[Literal] || ExpressionEncoder.isSubqueryValue(expression)

  private def literalOf(expression: Expression): Option[JsonNode] = expression match {
    case literal: Literal => LiteralValues.encode(literal.value, literal.dataType)
    case _ => None
  }

  private def literalReasons(literal: Literal): Seq[String] = {
    val wrongType =
      if (TypeNames.isNested(literal.dataType) &&
        (literal.value == null || !TypeNames.holdsMap(literal.dataType))) {
        typeReasons(literal.dataType, "a literal")
      } else {
        valueReasons(literal.dataType, "a literal")
      }
    // Among the supported types only a string may have no encoding in JSON.
    if (wrongType.isEmpty && LiteralValues.encode(literal.value, literal.dataType).isEmpty) {
      Seq(
        s"a literal of type ${readable(literal.dataType)} with invalid Unicode is not supported")
    } else {
      wrongType
    }
  }

  private def valueReasons(dataType: DataType, what: String): Seq[String] =
    Reasons.when(!capabilities.types.contains(TypeNames.of(dataType)))(
      s"$what of type ${readable(dataType)} is not supported")

  private def bufferReasons(dataType: DataType, what: String): Seq[String] =
    if (TypeNames.isNested(dataType)) typeReasons(dataType, what)
    else valueReasons(dataType, what)

  /**
   * Why columns of a type are not supported. Spark has no column vectors for the null type;
   * literals of it are supported.
   */
  def typeReasons(dataType: DataType, what: String): Seq[String] =
    if (dataType == NullType) {
      Seq(s"$what of type ${readable(dataType)} is not supported")
    } else if (TypeNames.isNested(dataType) &&
      capabilities.passThrough.contains(TypeNames.of(dataType))) {
      TypeNames
        .leaves(dataType)
        .distinct
        .flatMap(leaf => valueReasons(leaf, s"$what with elements"))
    } else {
      valueReasons(dataType, what)
    }

  private def nameOf(function: Expression): String = function match {
    case operator: BinaryOperator => operator.symbol
    case invoked: InvokeLike => FunctionCalls.nameOf(invoked)
    case other => other.prettyName
  }

  private def readable(dataType: DataType): String = dataType.simpleString

  private def shown(value: JsonNode): String =
    if (value.isTextual) value.asText else value.toString
}

private object ExpressionSupport {

  /** Nanoseconds a row for the copies of inputs and values, where there are few of them. */
  private val EvaluationLag = 80

  /** The same for the inputs of an aggregate, which has no values to return. */
  private val AggregateLag = 40
}
