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
      indent: Int): Unit =
    left.generateTreeString(depth, lastChildren, append, verbose, prefix, addSuffix, maxFields,
      printNodeId, indent)
}
