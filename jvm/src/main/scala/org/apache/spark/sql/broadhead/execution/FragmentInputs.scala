package org.apache.spark.sql.broadhead.execution

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The sources of a task's rows, each opened on use.
 *
 * @param rows rows or batches of each row source, by the source's number
 * @param replay the rows of Spark's own operators, if there are any
 */
private[broadhead] case class FragmentInputs(
    rows: Map[Int, () => Iterator[Any]],
    replay: Option[() => Iterator[InternalRow]])
