package org.apache.spark.sql.broadhead

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._

/**
 * The columns of a window operator in two steps.
 *
 * @param windows window expressions, each with a name
 * @param results the operator's columns, made of those
 */
private[broadhead] case class WindowColumns(
    windows: Seq[NamedExpression],
    results: Seq[NamedExpression]) {

  /** The columns that are more than a window expression, without which one step is enough. */
  def computed: Seq[NamedExpression] = results.filterNot(_.isInstanceOf[Attribute])
}

private[broadhead] object WindowColumns {

  /**
   * Takes columns apart. Spark's optimizer puts functions around window expressions: a sum of
   * decimals, for one, is a decimal made of the sum of their digits.
   */
  def of(columns: Seq[NamedExpression]): WindowColumns = {
    val windows = ArrayBuffer.empty[NamedExpression]
    def named(window: NamedExpression): Attribute = {
      windows += window
      window.toAttribute
    }
    val results = columns.map {
      case column @ Alias(_: WindowExpression, _) => named(column)
      case column =>
        val computed = column.transform { case window: WindowExpression =>
          named(Alias(window, s"${column.name} over")())
        }
        computed.asInstanceOf[NamedExpression]
    }
    WindowColumns(windows.toSeq, results)
  }
}
