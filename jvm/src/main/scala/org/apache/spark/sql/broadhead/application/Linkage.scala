package org.apache.spark.sql.broadhead.application

import java.lang.invoke.MethodType
import java.util.concurrent.FutureTask

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.broadhead.BuildInfo

import org.apache.spark.{SPARK_REVISION, SPARK_VERSION}

/**
 * Whether this Spark has all members that the jar's code calls.
 *
 * Vendors change Spark without a change of its version: a missing method would fail a query.
 */
private[application] object Linkage {
  private val Shown = 3

  /** Looks all of them up in a thread of its own; the result is the fault, if one is missing. */
  def start(): FutureTask[Option[String]] = {
    val task = new FutureTask[Option[String]](() => fault)
    val thread = new Thread(task, "broadhead linkage")
    thread.setDaemon(true)
    thread.start()
    task
  }

  private def fault: Option[String] = {
    val lines = BuildInfo.resource("spark-members.txt").split('\n')
    // The same sources as those that the jar was compiled for.
    val missing = if (lines.head == SPARK_REVISION) Nil else missingOf(lines.toList.tail)
    if (missing.isEmpty) None
    else {
      val shown = missing.take(Shown).mkString(", ")
      val more = if (missing.length > Shown) s" and ${missing.length - Shown} more" else ""
      Some(
        s"this build of Spark $SPARK_VERSION has no $shown$more, which the jar " +
          s"${BuildInfo.jar.getFileName} calls: use the jar for this Spark (`broadhead jar` " +
          "names it), or report the platform if there is none")
    }
  }

  /** The members, each a line with owner, name and descriptor, that the loaded Spark does not have. */
  def missingOf(members: Seq[String]): Seq[String] = {
    val known = new KnownMembers
    members.map(_.split(' ')).groupBy(_.head).toList.sortBy(_._1).flatMap {
      case (owner, wanted) =>
        val name = owner.replace('/', '.')
        load(name) match {
          case None => Seq(name)
          case Some(found) =>
            try {
              val present = known.of(found)
              wanted
                .filterNot(member => present.contains(s"${member(1)} ${member(2)}"))
                .map(member => s"$name.${member(1)}")
            } catch {
              // A class that it names is of a module that is not there: nothing of ours calls it.
              case _: LinkageError => Nil
            }
        }
    }
  }

  private def load(name: String): Option[Class[_]] =
    try Some(Class.forName(name, false, getClass.getClassLoader))
    catch { case _: ClassNotFoundException | _: LinkageError => None }
}

/** Name and descriptor of the members of classes and of all that they extend. */
private class KnownMembers {
  private val known = mutable.HashMap.empty[Class[_], Set[String]]

  def of(found: Class[_]): Set[String] = known.getOrElse(
    found, {
      val members = above(found).map(of).foldLeft(declared(found))(_ ++ _)
      known.put(found, members)
      members
    })

  private def above(found: Class[_]): Seq[Class[_]] =
    if (found.isInterface) classOf[Object] +: found.getInterfaces.toList
    else Option(found.getSuperclass).toList ++ found.getInterfaces

  private def declared(found: Class[_]): Set[String] = {
    val methods = found.getDeclaredMethods.toList.map { method =>
      s"${method.getName} ${descriptor(method.getReturnType, method.getParameterTypes)}"
    }
    val constructors = found.getDeclaredConstructors.toList.map { constructor =>
      s"<init> ${descriptor(Void.TYPE, constructor.getParameterTypes)}"
    }
    val fields = found.getDeclaredFields.toList.map { field =>
      s"${field.getName} ${field.getType.descriptorString}"
    }
    (methods ++ constructors ++ fields).toSet
  }

  private def descriptor(returned: Class[_], parameters: Array[Class[_]]): String =
    MethodType.methodType(returned, parameters.toList.asJava).toMethodDescriptorString
}
