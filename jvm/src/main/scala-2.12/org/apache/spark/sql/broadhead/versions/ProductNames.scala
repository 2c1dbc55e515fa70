package org.apache.spark.sql.broadhead.versions

import java.util.concurrent.ConcurrentHashMap

/** The names of the parameters of case classes, which Scala 2.12 keeps in their constructors. */
private[broadhead] object ProductNames {
  private val known = new ConcurrentHashMap[Class[_], IndexedSeq[String]]()

  def of(product: Product): IndexedSeq[String] =
    known.computeIfAbsent(product.getClass, read(_)).take(product.productArity)

  private def read(of: Class[_]): IndexedSeq[String] =
    of.getConstructors.maxBy(_.getParameterCount).getParameters.map(_.getName).toVector
}
