package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.types.ObjectType

/**
 * Names and arguments of functions in the wire format.
 *
 * Spark implements some functions as methods that it invokes: of a class (`StaticInvoke`), or of
 * an object that holds the constant arguments (`Invoke` on a literal). Their name is
 * `Class.method`, for instance `UrlCodec.encode`.
 */
private[broadhead] object FunctionCalls {

  /** The name of a function, which is the simple name of its class or `Class.method`. */
  def nameOf(expression: Expression): String = expression match {
    case invoked: StaticInvoke => s"${simpleName(invoked.staticObject)}.${invoked.functionName}"
    case OnObject(target, invoked) => s"${simpleName(target.getClass)}.${invoked.functionName}"
    case other => other.getClass.getSimpleName
  }

  /** The arguments, without the object of a method. */
  def argumentsOf(expression: Expression): Seq[Expression] = expression match {
    case OnObject(_, invoked) => invoked.arguments
    case other => other.children
  }

  /** A method of a constant object. */
  object OnObject {
    def unapply(invoked: Invoke): Option[(AnyRef, Invoke)] = invoked.targetObject match {
      case Literal(target: AnyRef, _: ObjectType) => Some((target, invoked))
      case _ => None
    }
  }

  private def simpleName(of: Class[_]): String = of.getSimpleName.stripSuffix("$")
}
