"""RangeSample: randomly drawn keys, from which the driver computes bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.exchanges import RangeSample

_HELD = 4
"""Factor of the sample size up to which rows wait before the sample is chosen from them."""


def range_sample(node: RangeSample, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """One batch of the drawn rows; none for no input or a `size` of zero.

    Each row has a random number, and the rows with the least numbers are drawn: the same rows if
    the task runs again on the same input.
    """
    if node.size <= 0:
        return
    sample = _Sample(node, run)
    for batch in child:
        sample.add(batch)
    if sample.rows:
        yield sample.finish()


class _Sample:
    """The rows that may still be drawn."""

    def __init__(self, node: RangeSample, run: Run) -> None:
        self._node = node
        self._columns = run.kernels.columns
        self._program = run.compile([order.expression for order in node.order])
        self._random = np.random.default_rng([node.seed % 2**64, run.partition])
        self._priorities: list[Any] = []
        self._keys: list[list[Any]] = []
        self._waiting = 0
        self._limit = 1.0
        self.rows = 0

    def add(self, batch: Batch) -> None:
        """Draw from one more batch."""
        priorities = self._random.random(batch.length)
        self.rows += batch.length
        chosen = np.flatnonzero(priorities < self._limit)
        if not len(chosen):
            return
        keys = [column.data for column in self._program.evaluate(batch)]
        self._keys.append(self._columns.take(keys, self._indices(chosen)))
        self._priorities.append(priorities[chosen])
        self._waiting += len(chosen)
        if self._waiting > _HELD * self._node.size:
            self._choose()

    def finish(self) -> Batch:
        """The drawn keys, each with the number of all rows."""
        self._choose()
        (keys,) = self._keys
        count = self._columns.full(self._columns.scalar(self.rows, LONG), self._waiting)
        types = [order.expression.type for order in self._node.order]
        columns = [Column(data, data_type) for data, data_type in zip(keys, types, strict=True)]
        return Batch((*columns, Column(count, LONG)), self._waiting)

    def _choose(self) -> None:
        """Keep the rows with the least numbers."""
        priorities = np.concatenate(self._priorities)
        keys = self._columns.concat(self._keys)
        if len(priorities) > self._node.size:
            least = np.sort(np.argpartition(priorities, self._node.size - 1)[: self._node.size])
            priorities = priorities[least]
            keys = self._columns.take(keys, self._indices(least))
            self._limit = float(priorities.max())
        self._priorities, self._keys = [priorities], [keys]
        self._waiting = len(priorities)

    def _indices(self, rows: Any) -> Any:
        return self._columns.from_arrow(pa.array(rows, pa.int64()), LONG)
