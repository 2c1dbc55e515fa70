"""Rows together with their sort keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Batch
from broadhead.operators.rows.batch_rows import batch_bytes, cut_batch, with_data
from broadhead.plan.expressions import BoundReference

if TYPE_CHECKING:
    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Sort


class SortKeys:
    """Adds the keys of a sort to its output columns, if they are not among them."""

    def __init__(self, node: Sort, run: Run) -> None:
        self.node_id = node.id
        self.run = run
        self.orders = [(order.ascending, order.nulls_first) for order in node.order]
        self._keep = node.keep if node.keep is not None else tuple(range(len(node.output)))
        self._ordinals: list[int] = []
        computed: list[Expression] = []
        for order in node.order:
            expression = order.expression
            if isinstance(expression, BoundReference) and expression.ordinal in self._keep:
                self._ordinals.append(self._keep.index(expression.ordinal))
            else:
                self._ordinals.append(len(self._keep) + len(computed))
                computed.append(expression)
        self._program = run.compile(computed)

    def attach(self, batch: Batch) -> Batch:
        """The output columns and the computed keys of an input batch."""
        kept = tuple(batch.columns[i] for i in self._keep)
        return Batch((*kept, *self._program.evaluate(batch)), batch.length)

    def detach(self, rows: Batch) -> Batch:
        """The output columns of rows with keys."""
        return Batch(rows.columns[: len(self._keep)], rows.length)

    def of(self, rows: Batch) -> list[Any]:
        """The keys of rows with keys."""
        return [rows.columns[i].data for i in self._ordinals]

    def order(self, rows: Batch) -> Any:
        """The numbers of the rows in order; rows with equal keys keep theirs."""
        return self.run.kernels.sort.order(self.of(rows), self.orders)

    def take(self, rows: Batch, indices: Any) -> Batch:
        """Some rows of rows with keys."""
        columns = self.run.kernels.columns
        data = columns.take([column.data for column in rows.columns], indices)
        return with_data(rows.columns, data, columns.length(indices))

    def cut(self, rows: Batch, start: int, length: int) -> Batch:
        """A slice of rows with keys."""
        return cut_batch(rows, start, length, self.run)

    def nbytes(self, rows: Batch) -> int:
        """Memory of rows with keys, in bytes."""
        return batch_bytes(rows, self.run)
