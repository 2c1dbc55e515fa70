"""The matching rows of a join's two sides, before its condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from broadhead.operators.rows.batch_rows import most_rows, row_bytes
from broadhead.types import BOOLEAN, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array, JoinTable, Kernels, Pairs
    from broadhead.operators.join.join_sides import JoinPlan


class Matcher(Protocol):
    """Finds the build rows that match the rows of a stream batch, before any condition."""

    def pairs(self, stream: Batch, *, outer: bool) -> Iterator[Pairs]:
        """As `JoinTable.pairs`."""

    def matches(self, stream: Batch) -> Array:
        """Mask of the stream rows that match some build row."""

    def differs(self, stream: Batch, values: Array, built: Array) -> Array | None:
        """As `JoinTable.differs`."""

    def mark(self, stream: Batch) -> None:
        """Record the build rows that match some stream row."""

    def marked(self) -> Array:
        """Mask of the recorded build rows."""


class KeyMatcher:
    """Rows with equal keys."""

    def __init__(self, plan: JoinPlan, build: Batch) -> None:
        self._side = plan.stream
        self._run, self._width = plan.run, row_bytes(build, plan.run)
        self.table: JoinTable = plan.run.kernels.join.build(plan.build.key_data(build))

    def pairs(self, stream: Batch, *, outer: bool) -> Iterator[Pairs]:
        """Pairs of rows with equal keys."""
        limit = most_rows(self._width + row_bytes(stream, self._run), self._run)
        return self.table.pairs(self._side.key_data(stream), limit, outer=outer)

    def matches(self, stream: Batch) -> Array:
        """Mask of the stream rows with a key of the build side."""
        return self.table.matches(self._side.key_data(stream))

    def differs(self, stream: Batch, values: Array, built: Array) -> Array | None:
        """Mask of the stream rows with a key of the build side and another value."""
        return self.table.differs(self._side.key_data(stream), values, built)

    def mark(self, stream: Batch) -> None:
        """Record the build rows with keys of the batch."""
        self.table.mark(self._side.key_data(stream))

    def marked(self) -> Array:
        """Mask of the recorded build rows."""
        return self.table.marked()


class CrossMatcher:
    """All rows with all rows."""

    def __init__(self, plan: JoinPlan, build: Batch) -> None:
        self._kernels = plan.run.kernels
        self._run, self._width = plan.run, row_bytes(build, plan.run)
        self._rows = build.length
        self._met_rows = False

    def pairs(self, stream: Batch, *, outer: bool) -> Iterator[Pairs]:
        """Every pair; with `outer` and no build rows, each stream row with null."""
        if outer and not self._rows:
            yield None, null_rows(stream.length, self._kernels)
        else:
            limit = most_rows(self._width + row_bytes(stream, self._run), self._run)
            yield from self._kernels.join.cross(stream.length, self._rows, limit)

    def matches(self, stream: Batch) -> Array:
        """All or none."""
        return self._mask(stream.length, value=self._rows > 0)

    def differs(self, stream: Batch, values: Array, built: Array) -> None:
        """None: there are no keys."""

    def mark(self, stream: Batch) -> None:
        """Record all build rows."""
        self._met_rows = self._met_rows or stream.length > 0

    def marked(self) -> Array:
        """All or none."""
        return self._mask(self._rows, value=self._met_rows)

    def _mask(self, length: int, *, value: bool) -> Array:
        columns = self._kernels.columns
        return columns.full(columns.scalar(value, BOOLEAN), length)


def null_rows(length: int, kernels: Kernels) -> Array:
    """Row ids that are all null."""
    return kernels.columns.full(kernels.columns.scalar(None, LONG), length)
