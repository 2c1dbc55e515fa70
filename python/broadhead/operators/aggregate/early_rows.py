"""Where in its input Spark's aggregation of objects begins to sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from broadhead.aggregates.registry import aggregates
from broadhead.columns import Batch, Column
from broadhead.types import BOOLEAN, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array
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
            if aggregates()[call.name].whole_tasks
        }
        self._keys: list[Array] | None = None
        self.ended = False

    def marked(self, rows: Batch) -> Batch:
        """Rows of keys and other columns, with one more column: whether they are early."""
        if self._width and self._most is not None:
            column = Column(self._mask(rows), BOOLEAN)
            return Batch((*rows.columns, column), rows.length)
        return rows

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
            self._keys = grouping.keys
            return columns.full(columns.scalar(True, BOOLEAN), rows.length)
        self.ended, self._keys = True, None
        places, offsets = grouping.members()
        starts = columns.slice([offsets], 0, grouping.size)[0]
        firsts = columns.to_arrow(columns.take([places], starts)[0], LONG).to_numpy()
        last = int(np.partition(firsts, self._most - 1)[self._most - 1]) - known
        number = columns.sequence(rows.length)
        return self._k.compare.compare("less_equal", number, columns.scalar(last, LONG))

    def ordered(self, groups: Batch) -> Batch:
        """The groups in the order in which Spark returns them."""
        if not self.ended:
            return groups
        keys = [column.data for column in groups.columns[: self._width]]
        order = self._k.sort.order(keys, [(True, True)] * self._width)
        data = self._k.columns.take([column.data for column in groups.columns], order)
        types = (column.type for column in groups.columns)
        return Batch(tuple(map(Column, data, types)), groups.length)
