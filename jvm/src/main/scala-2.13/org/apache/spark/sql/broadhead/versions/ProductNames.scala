package org.apache.spark.sql.broadhead.versions

/** The names of the parameters of case classes. */
private[broadhead] object ProductNames {
  def of(product: Product): IndexedSeq[String] = product.productElementNames.toIndexedSeq
}
