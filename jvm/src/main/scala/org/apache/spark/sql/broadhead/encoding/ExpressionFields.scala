package org.apache.spark.sql.broadhead.encoding

import java.lang.reflect.{ParameterizedType, Type}
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.QueryContext
import org.apache.spark.sql.broadhead.versions.ProductNames
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, DeclarativeAggregate, HyperLogLogPlusPlus, Kurtosis, PearsonCorrelation, Skewness}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Cast, Divide, EvalMode, Expression, ExprId, FormatString, InSet, NullsFirst, SortOrder, ToCharacter}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/**
 * The constructor parameters of an expression that are not its children; also differences between
 * versions, for statistics of Spark, for casts of Java, and the policy of divisors.
 *
 * @param values name and value of each, in order
 * @param unknown names of those that the wire format cannot encode
 */
private[broadhead] case class ExpressionFields(
    values: Seq[(String, JsonNode)],
    unknown: Seq[String]) {

  def and(other: ExpressionFields): ExpressionFields =
    ExpressionFields(values ++ other.values, unknown ++ other.unknown)

  def without(name: String): ExpressionFields =
    ExpressionFields(values.filterNot(_._1 == name), unknown)
}

private[broadhead] object ExpressionFields {
  private val none = ExpressionFields(Nil, Nil)

  /** Since Java 19, texts of floats have as few digits as tell them apart (JDK-4511638). */
  private val shortestDigits = Json.bool(Runtime.version.feature >= 19)

  /** The positions of a class's parameters that are declared as expressions. */
  private val childParameters = new ConcurrentHashMap[String, IndexedSeq[Boolean]]()

  def of(expression: Expression): ExpressionFields = expression match {
    case in: InSet => inSet(in)
    case moments: DeclarativeAggregate with Product if CentralMoments.includes(moments) =>
      val merges = Json.bool(CentralMoments.isNaNFromNothing(moments))
      ofProduct(moments)
        .and(ExpressionFields(Seq("nanFromNothing" -> merges), Nil))
        .and(onDivisionByZero(moments))
    case sketch: HyperLogLogPlusPlus => DistinctCounts.fieldsOf(sketch)
    case ordered: AggregateFunction with Product if orders(ordered).nonEmpty =>
      val directions = orders(ordered).map { order =>
        val nullsFirst = order.nullOrdering == NullsFirst
        Json.array(Seq(Json.bool(order.isAscending), Json.bool(nullsFirst)))
      }
      ofProduct(ordered).and(ExpressionFields(Seq("orders" -> Json.array(directions)), Nil))
    case cast: Cast =>
      ofProduct(cast).and(ExpressionFields(Seq("shortestDigits" -> shortestDigits), Nil))
    case _: StaticInvoke => none
    case FunctionCalls.OnObject(target, _) => ofObject(target)
    case PatternFields(found) => found
    case FunctionCalls.OnString(_) | FunctionCalls.PartOfSplit(_) => none
    case LikePatterns(found) => found
    case format: FormatString => FormatFields.of(format)
    case number: ToCharacter => NumberFormatFields.of(number)
    case product: Expression with Product => TimeZoneFields.of(product, ofProduct(product))
    case _ => ExpressionFields(Nil, Seq(expression.getClass.getSimpleName))
  }

  private def ofProduct(product: Expression with Product): ExpressionFields = {
    val children = expressionParameters(product)
    val names = ProductNames.of(product)
    (0 until product.productArity)
      .map { index =>
        val name = names(index)
        val value = product.productElement(index)
        if (children(index) && holdsOnlyChildren(value, product)) none
        else encode(name, value)
      }
      .foldLeft(none)(_ and _)
  }

  /** The constants of a method's object, in which they are the parameters of a case class. */
  private def ofObject(target: AnyRef): ExpressionFields = target match {
    case product: Product => encodeParameters(product)
    case _ => ExpressionFields(Nil, Seq(target.getClass.getSimpleName))
  }

  private def encodeParameters(product: Product): ExpressionFields =
    ProductNames
      .of(product)
      .zip(product.productIterator.toList)
      .map { case (name, value) => encode(name, value) }
      .foldLeft(none)(_ and _)

  private def orders(function: AggregateFunction): Seq[SortOrder] =
    function.children.collect { case order: SortOrder => order }

  /** Whether a statistic that divides by more than its count fails where that is 0. */
  private def onDivisionByZero(moments: DeclarativeAggregate): ExpressionFields = {
    val divisions = moments match {
      case _: PearsonCorrelation | _: Skewness | _: Kurtosis =>
        moments.evaluateExpression.collect { case division: Divide => division }
      case _ => Nil
    }
    val fails = divisions.headOption.map { division =>
      "failOnError" -> Json.bool(division.evalMode == EvalMode.ANSI)
    }
    ExpressionFields(fails.toSeq, Nil)
  }

  private def inSet(in: InSet): ExpressionFields = {
    val values = in.hset.toSeq.map(LiteralValues.encode(_, in.child.dataType))
    if (values.forall(_.isDefined)) {
      val sorted = values.flatten.sortBy(_.toString)
      ExpressionFields(Seq("hset" -> Json.array(sorted)), Nil)
    } else {
      ExpressionFields(Nil, Seq("hset"))
    }
  }

  private def encode(name: String, value: Any): ExpressionFields = value match {
    case _: ExprId | _: Origin | _: QueryContext => none
    case Some(inner) => encode(name, inner)
    case nested: Product if isParameterGroup(nested) => encodeParameters(nested)
    case other =>
      scalar(other) match {
        case Some(node) => ExpressionFields(Seq(name -> node), Nil)
        case None => ExpressionFields(Nil, Seq(name))
      }
  }

  private def scalar(value: Any): Option[JsonNode] = value match {
    case null | None => Some(Json.Null)
    case flag: Boolean => Some(Json.bool(flag))
    case number: Byte => Some(Json.number(number.toLong))
    case number: Short => Some(Json.number(number.toLong))
    case number: Int => Some(Json.number(number.toLong))
    case number: Long => Some(Json.number(number))
    case character: Char => Some(Json.text(character.toString))
    case string: String => Some(Json.text(string))
    case string: UTF8String => Some(Json.text(string.toString))
    case enumerated: Enumeration#Value => Some(Json.text(enumerated.toString))
    case enumerated: Enum[_] => Some(Json.text(enumerated.name))
    case dataType: DataType => Some(Json.dataType(dataType))
    case caseObject: Product if caseObject.productArity == 0 =>
      Some(Json.text(caseObject.productPrefix))
    case _ => None
  }

  /** Whether a value is a case class that only groups parameters, such as `NumericEvalContext`. */
  private def isParameterGroup(value: Product): Boolean = value match {
    case _: Expression | _: DataType | _: Option[_] | _: Iterable[_] => false
    case _ => value.productArity > 0 && !value.getClass.getName.startsWith("scala.")
  }

  private def holdsOnlyChildren(value: Any, expression: Expression): Boolean = value match {
    case child: Expression => expression.children.exists(_ eq child)
    case values: Iterable[_] => values.forall(holdsOnlyChildren(_, expression))
    case option: Option[_] => option.forall(holdsOnlyChildren(_, expression))
    case tuple: Product if tuple.getClass.getName.startsWith("scala.Tuple") =>
      tuple.productIterator.forall(holdsOnlyChildren(_, expression))
    case _ => false
  }

  private def expressionParameters(expression: Expression with Product): IndexedSeq[Boolean] = {
    val name = expression.getClass.getName
    childParameters.computeIfAbsent(name, _ => declaredExpressions(expression))
  }

  /**
   * Reads the declared types, since an empty `Option[Expression]` or `Seq[Expression]` does not
   * show its element type. A class without a readable constructor is judged by its values.
   */
  private def declaredExpressions(expression: Expression with Product): IndexedSeq[Boolean] = {
    val arity = expression.productArity
    val declared =
      try {
        expression.getClass.getConstructors
          .map(_.getGenericParameterTypes)
          .filter(_.length >= arity)
          .sortBy(_.length)
          .headOption
          .map(_.take(arity).map(mentionsExpression).toIndexedSeq)
      } catch {
        case NonFatal(_) => None
      }
    declared.getOrElse(IndexedSeq.tabulate(arity) { index =>
      holdsOnlyChildren(expression.productElement(index), expression)
    })
  }

  private def mentionsExpression(declared: Type): Boolean = declared match {
    case plain: Class[_] => classOf[Expression].isAssignableFrom(plain)
    case generic: ParameterizedType => generic.getActualTypeArguments.exists(mentionsExpression)
    case _ => false
  }
}
