package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.broadhead.versions.{CompiledSpark, Optional}
import org.apache.spark.sql.catalyst.expressions.{ElementAt, Expression, Literal, RaiseError, StringSplitSQL}
import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.types.{ObjectType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Names and arguments of functions in the wire format.
 *
 * Spark implements some functions as methods that it invokes: of a class (`StaticInvoke`), or of
 * an object that holds the constant arguments (`Invoke` on a literal), or of a string. Their name
 * is `Class.method`, for instance `UrlCodec.encode`.
 */
private[broadhead] object FunctionCalls {

  /** The name of a function, which is the simple name of its class or `Class.method`. */
  def nameOf(expression: Expression): String = expression match {
    case invoked: StaticInvoke => s"${simpleName(invoked.staticObject)}.${invoked.functionName}"
    case OnObject(target, invoked) => s"${simpleName(target.getClass)}.${invoked.functionName}"
    case OnString(invoked) => s"${simpleName(classOf[UTF8String])}.${invoked.functionName}"
    case PartOfSplit(_) => "SplitPart"
    case other => other.getClass.getSimpleName
  }

  /** The arguments, without the object of a method. */
  def argumentsOf(expression: Expression): Seq[Expression] = expression match {
    case OnObject(_, invoked) => invoked.arguments
    case PartOfSplit(arguments) => arguments
    // Spark words the error; the engine says only that there is one.
    case raised: RaiseError => Seq(CompiledSpark.errorMessage(raised))
    case other => other.children
  }

  /** A method of a constant object. */
  object OnObject {
    def unapply(invoked: Invoke): Option[(AnyRef, Invoke)] = invoked.targetObject match {
      case Literal(target: AnyRef, _: ObjectType) => Some((target, invoked))
      case _ => None
    }
  }

  /** A method of a string that is no constant. */
  object OnString {
    def unapply(invoked: Invoke): Option[Invoke] =
      Optional.when(invoked.targetObject.dataType.isInstanceOf[StringType])(invoked)
  }

  /** The form of `split_part` when Spark has optimized it. */
  object PartOfSplit {
    def unapply(element: ElementAt): Option[Seq[Expression]] = element match {
      case ElementAt(StringSplitSQL(text, delimiter), number, Some(Literal(default, _)), false)
          if default == UTF8String.EMPTY_UTF8 =>
        Some(Seq(text, delimiter, number))
      case _ => None
    }
  }

  private def simpleName(of: Class[_]): String = of.getSimpleName.stripSuffix("$")
}
