"""Where in its input Spark's aggregation of objects begins to sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.errors import EngineLimit
from broadhead.operators.aggregate.aggregate_calls import entry_of
from broadhead.operators.sort.radix_order import inserted_rows
from broadhead.types import BOOLEAN, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Grouping
    from broadhead.operators.context import Run
    from broadhead.plan.nodes import HashAggregate


class EarlyRows:
    """Marks the rows up to the one with so many keys that ObjectHashAggregate sorts the rest.

    Spark summarizes the rows of a key that come later apart, and merges what it has of the early
    ones into that. Its result then has the order of the keys.
    """

    def __init__(self, node: HashAggregate, run: Run) -> None:
        self._k = run.kernels
        self._width = len(node.grouping)
        (self._most,) = {
            dict(call.fields)["fallback_threshold"]
            for call in node.aggregates
            if entry_of(call).whole_tasks
        }
        self._keys: list[Array] | None = None
        self._radix = node.sorted_by_radix
        self._moves = False
        self.ended = False

    def marked(self, rows: Batch) -> Batch:
        """Rows of keys and other columns, with one more column: whether they are early."""
        if self._width and self._most is not None:
            nulls = self._k.columns.null_count(rows.columns[0].data)
            self._moves |= self._radix and nulls > 0
            column = Column(self._mask(rows), BOOLEAN)
            return Batch((*rows.columns, column), rows.length)
        return rows

    def check(self, *, spilled: bool) -> None:
        """Raises EngineLimit if Spark's order follows from rows that are not in memory together."""
        if spilled and self.ended and self._moves:
            raise EngineLimit("spilled rows with a null key have another order in Spark")

    def late_first(self, rows: Batch) -> Batch:
        """Marked rows of whole groups, the early ones last, since Spark merges them last.

        Without the marks if Spark did not begin to sort.
        """
        if not self._width or self._most is None:
            return rows
        if not self.ended:
            return Batch(rows.columns[:-1], rows.length)
        columns, mask = self._k.columns, rows.columns[-1].data
        data = [column.data for column in rows.columns]
        late, early = (columns.filter(data, kept) for kept in (self._k.logic.not_(mask), mask))
        if self._moves:
            order = inserted_rows(late[0], self._k)
            late = late if order is None else columns.take(late, order)
        joined = zip(columns.concat([late, early]), rows.columns, strict=True)
        return Batch(tuple(Column(part, column.type) for part, column in joined), rows.length)

    def _mask(self, rows: Batch) -> Array:
        columns = self._k.columns
        if self.ended:
            return columns.full(columns.scalar(False, BOOLEAN), rows.length)
        keys = [column.data for column in rows.columns[: self._width]]
        known = 0
        if self._keys is not None:
            known = columns.length(self._keys[0])
            keys = columns.concat([self._keys, keys])
        grouping = self._k.group.group(keys, known + rows.length)
        if grouping.size < self._most:
            self._keys = self._by_first_row(grouping)
            return columns.full(columns.scalar(True, BOOLEAN), rows.length)
        self.ended, self._keys = True, None
        places, offsets = grouping.members()
        starts = columns.slice([offsets], 0, grouping.size)[0]
        firsts = columns.to_arrow(columns.take([places], starts)[0], LONG).to_numpy()
        last = int(np.partition(firsts, self._most - 1)[self._most - 1]) - known
        number = columns.sequence(rows.length)
        return self._k.compare.compare("less_equal", number, columns.scalar(last, LONG))

    def _by_first_row(self, grouping: Grouping) -> list[Array]:
        """The keys, in the order in which they come first."""
        places, offsets = grouping.members()
        starts = self._k.columns.slice([offsets], 0, grouping.size)[0]
        firsts = self._k.columns.take([places], starts)[0]
        return self._k.columns.take(grouping.keys, self._k.sort.order([firsts], [(True, True)]))

    def ordered(self, groups: Batch) -> Batch:
        """The groups in the order in which Spark returns them."""
        if not self._width or self._most is None:
            return groups
        keys = [column.data for column in groups.columns[: self._width]]
        if self.ended:
            order = self._k.sort.order(keys, [(True, True)] * self._width)
        else:
            order = self._order_of_first_rows(keys, groups.length)
        data = self._k.columns.take([column.data for column in groups.columns], order)
        types = (column.type for column in groups.columns)
        return Batch(tuple(map(Column, data, types)), groups.length)

    def _order_of_first_rows(self, keys: list[Array], length: int) -> Array:
        """The places of all known keys, each of which is once among these."""
        assert self._keys is not None
        columns = self._k.columns
        grouping = self._k.group.group(columns.concat([self._keys, keys]), 2 * length)
        places, _ = grouping.members()
        pairs = columns.to_arrow(places, LONG).to_numpy().reshape(-1, 2)
        order = np.empty(length, np.int64)
        order[pairs[:, 0]] = pairs[:, 1] - length
        return columns.from_arrow(pa.array(order), LONG)
