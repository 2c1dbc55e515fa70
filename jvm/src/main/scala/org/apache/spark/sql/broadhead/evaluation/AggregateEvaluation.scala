package org.apache.spark.sql.broadhead.evaluation

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}

/**
 * An aggregate function that Spark's own code computes for a fragment, in one of its phases.
 *
 * A request has the rows of groups, one group after the other: the number of the row's group, and
 * the inputs, which are the function's buffers in a phase that merges. A group goes on in the next
 * request; one without rows ends the last group. There is a row of results for each group: the
 * buffers as Spark sends them, or the value.
 *
 * @param function over such rows
 * @param filter the rows of the group that count, over such rows
 */
private[broadhead] case class AggregateEvaluation(
    function: ImperativeAggregate,
    mode: AggregateMode,
    filter: Option[Expression],
    override val inputs: Seq[Expression])
    extends SparkEvaluation {
  import AggregateEvaluation._

  override def key: Any = (function, mode, filter)

  override def inputSchema: StructType =
    StructType(
      StructField("group", LongType, nullable = false) +: SparkEvaluation.columns(inputs))

  override def outputSchema: StructType =
    if (finishes(mode)) SparkEvaluation.columns(Seq(function))
    else SparkEvaluation.columns(function.aggBufferAttributes)

  override def start(): RowComputation = {
    val own = SparkEvaluation.copyOf(this)
    val keeps = own.filter match {
      case None => (_: InternalRow) => true
      case Some(condition) =>
        val predicate = Predicate.create(condition)
        (row: InternalRow) => predicate.eval(row)
    }
    new GroupComputation(own.function, own.mode, keeps)
  }
}

private[broadhead] object AggregateEvaluation {

  /** The columns of a request before the inputs: the number of the group. */
  private val Before = 1

  def updates(mode: AggregateMode): Boolean = mode == Partial || mode == Complete

  def finishes(mode: AggregateMode): Boolean = mode == Final || mode == Complete

  /** The evaluation of an aggregate over the rows, or over the buffers, of its operator. */
  def of(aggregate: AggregateExpression): Option[AggregateEvaluation] =
    aggregate.aggregateFunction match {
      case function: ImperativeAggregate => Some(of(function, aggregate))
      case _ => None
    }

  private def of(
      function: ImperativeAggregate,
      aggregate: AggregateExpression): AggregateEvaluation = {
    val columns = new InputColumns(Before)
    if (updates(aggregate.mode)) {
      val bound = function.mapChildren(columns.bound).asInstanceOf[ImperativeAggregate]
      val filter = aggregate.filter.map(columns.bound)
      AggregateEvaluation(placed(bound), aggregate.mode, filter, columns.all)
    } else {
      val buffers = function.inputAggBufferAttributes
      AggregateEvaluation(placed(unbound(function)), aggregate.mode, None, buffers)
    }
  }

  /** A function with its buffer in a row of its own. */
  private def placed(function: ImperativeAggregate) =
    function.withNewMutableAggBufferOffset(0).withNewInputAggBufferOffset(Before)

  /** The function for a phase that does not read its arguments: equal for all columns. */
  private def unbound(function: ImperativeAggregate): ImperativeAggregate = {
    val columns = new InputColumns(Before)
    function.mapChildren(columns.bound).asInstanceOf[ImperativeAggregate]
  }

  /**
   * Whether Spark can compute an aggregate apart from its operator, with the same result.
   *
   * @param isPassed whether columns of a type can be passed to and from the engine
   */
  def isPossible(aggregate: AggregateExpression, isPassed: DataType => Boolean): Boolean =
    aggregate.aggregateFunction match {
      case _: Unevaluable => false
      case function: ImperativeAggregate =>
        val read = function.children ++ aggregate.filter
        val buffers = function.aggBufferAttributes
        function.deterministic && function.resolved && read.forall(SparkEvaluation.isApart) &&
        (read.flatMap(_.references) ++ buffers :+ function).forall(c => isPassed(c.dataType))
      case _ => false
    }
}

/** The groups of one connection's rows. */
private class GroupComputation(
    function: ImperativeAggregate,
    mode: AggregateMode,
    keeps: InternalRow => Boolean)
    extends RowComputation {
  private val updates = AggregateEvaluation.updates(mode)
  private var isOpen = false
  private var group = 0L
  private var buffer = created()

  override def results(rows: Iterator[InternalRow], count: Int): Iterator[InternalRow] =
    if (count == 0) Iterator.single(ended())
    else
      new Iterator[InternalRow] {
        private var result: InternalRow = _

        override def hasNext: Boolean = {
          while (result == null && rows.hasNext) result = added(rows.next())
          result != null
        }

        override def next(): InternalRow = {
          val found = if (hasNext) result else throw new NoSuchElementException("no more groups")
          result = null
          found
        }
      }

  /** Adds a row; returns the result of the group before it, or null if the row goes on with it. */
  private def added(row: InternalRow): InternalRow = {
    val number = row.getLong(0)
    val before = if (isOpen && group != number) ended() else null
    isOpen = true
    group = number
    if (keeps(row)) {
      if (updates) function.update(buffer, row) else function.merge(buffer, row)
    }
    before
  }

  /** The result of the last group, or of no rows at all. */
  private def ended(): InternalRow = {
    val full = buffer
    isOpen = false
    buffer = created()
    if (AggregateEvaluation.finishes(mode)) InternalRow(function.eval(full)) else sent(full)
  }

  private def created(): InternalRow = {
    val buffer = new GenericInternalRow(function.aggBufferAttributes.length)
    function.initialize(buffer)
    buffer
  }

  private def sent(buffer: InternalRow): InternalRow = {
    function match {
      case typed: TypedImperativeAggregate[_] => typed.serializeAggregateBufferInPlace(buffer)
      case _ =>
    }
    buffer
  }
}
