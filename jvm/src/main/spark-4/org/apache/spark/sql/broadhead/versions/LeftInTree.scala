package org.apache.spark.sql.broadhead.versions

import java.util.ArrayList

import org.apache.spark.sql.execution.BinaryExecNode

/** An operator that the text of a plan shows as its left input alone. */
private[broadhead] trait LeftInTree extends BinaryExecNode {

  override def generateTreeString(
      depth: Int,
      lastChildren: ArrayList[Boolean],
      append: String => Unit,
      verbose: Boolean,
      prefix: String,
      addSuffix: Boolean,
      maxFields: Int,
      printNodeId: Boolean,
      printOutputColumns: Boolean,
      indent: Int): Unit =
    showLeft(depth, lastChildren, append, verbose, prefix, addSuffix, maxFields, printNodeId,
      printOutputColumns, indent)

  /** The variant that Spark 4.0 calls. */
  def generateTreeString(
      depth: Int,
      lastChildren: ArrayList[Boolean],
      append: String => Unit,
      verbose: Boolean,
      prefix: String,
      addSuffix: Boolean,
      maxFields: Int,
      printNodeId: Boolean,
      indent: Int): Unit =
    showLeft(depth, lastChildren, append, verbose, prefix, addSuffix, maxFields, printNodeId,
      indent)

  private def showLeft(arguments: Any*): Unit =
    VersionedSpark.call(left, "generateTreeString", arguments)
}
