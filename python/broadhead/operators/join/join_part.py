"""A build side in memory, or a partition of it, and the rows of a join with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.join.join_matcher import null_rows
from broadhead.operators.join.join_sides import empty_rows
from broadhead.operators.join.nested_loop_pairs import scanned_pairs
from broadhead.operators.rows.batch_rows import divide_batch, most_rows, row_bytes
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Array, Bitmap, Columns, Pairs
    from broadhead.operators.join.join_matcher import Matcher
    from broadhead.operators.join.join_sides import JoinPlan, Side


class BuildPart:
    """Build rows that are joined with stream batches.

    A pair for which the condition is not true does not count: its rows are unmatched unless another
    pair contains them.
    """

    def __init__(self, plan: JoinPlan, rows: Batch, matcher: Matcher) -> None:
        self._plan = plan
        self._rows = rows
        self.matcher = matcher
        self._kernels = plan.run.kernels
        notes_build = plan.keeps_build or (plan.tests_build and plan.condition is not None)
        self._bitmap = self._kernels.join.bitmap(rows.length) if notes_build else None

    def join(self, stream: Batch) -> Iterator[Batch]:
        """The joined rows of a stream batch, if these are all build rows."""
        plan = self._plan
        if plan.condition is None and plan.tests is None:
            yield from self._pairs(stream, None, outer=plan.keeps_stream)
        elif plan.condition is None and plan.tests_stream:
            yield from finish_stream(plan, stream, self.matcher.matches(stream))
        elif (differing := self._differing(stream)) is not None:
            yield from finish_stream(plan, stream, differing)
        else:
            notes_stream = plan.keeps_stream or plan.tests_stream
            bitmap = self._kernels.join.bitmap(stream.length) if notes_stream else None
            yield from self.match(stream, bitmap)
            if bitmap is not None:
                yield from finish_stream(plan, stream, bitmap.mask())

    def _differing(self, stream: Batch) -> Array | None:
        """Mask of the tested stream rows that match, if the condition is that values differ."""
        plan = self._plan
        if not (plan.values_differ and plan.tests_stream):
            return None
        (mine,), (other,) = plan.stream.tested, plan.build.tested
        values, built = stream.columns[mine].data, self._rows.columns[other].data
        return self.matcher.differs(stream, values, built)

    def match(self, stream: Batch, bitmap: Bitmap | None) -> Iterator[Batch]:
        """The pairs of a stream batch; its matching rows are added to `bitmap`."""
        if self._plan.condition is None and self._plan.tests_build:
            self.matcher.mark(stream)
        else:
            yield from self._pairs(stream, bitmap, outer=False)

    def _pairs(self, stream: Batch, bitmap: Bitmap | None, *, outer: bool) -> Iterator[Batch]:
        for chosen in self._chosen(stream, outer=outer):
            self._note(stream, *chosen, bitmap)
            if self._plan.tests is None:
                yield self._gathered(stream, *chosen)

    def _chosen(self, stream: Batch, *, outer: bool) -> Iterator[Pairs]:
        """The pairs for which the condition is true."""
        plan = self._plan
        if self._scans(stream):
            width = row_bytes(stream, plan.run) + row_bytes(self._rows, plan.run)
            limit = most_rows(width, plan.run)
            yield from scanned_pairs(plan, stream, self._rows, limit)
            return
        for stream_rows, build_rows in self.matcher.pairs(stream, outer=outer):
            chosen = self._passing(stream, stream_rows, build_rows)
            if chosen is not None:
                yield chosen

    def _scans(self, stream: Batch) -> bool:
        """Whether to find pairs row by row of the shorter side: there are no keys."""
        longer = max(stream.length, self._rows.length)
        return (
            self._plan.condition is not None
            and not self._plan.build.keys
            and self._kernels.join.scans(longer)
        )

    def _passing(self, stream: Batch, stream_rows: Array | None, build_rows: Array) -> Pairs | None:
        """The pairs for which the condition is true, or None if there are none."""
        plan, columns = self._plan, self._kernels.columns
        if plan.condition is None:
            return stream_rows, build_rows
        length = columns.length(build_rows)
        left = _take(stream, plan.stream.tested, stream_rows, columns)
        right = _take(self._rows, plan.build.tested, build_rows, columns)
        both = left + right if plan.stream_is_left else right + left
        (mask,) = plan.condition.evaluate(Batch(tuple(both), length))
        if stream_rows is None:
            stream_rows = columns.sequence(length)
        kept = columns.filter([stream_rows, build_rows], mask.data)
        return (kept[0], kept[1]) if columns.length(kept[1]) else None

    def _note(
        self, stream: Batch, stream_rows: Array | None, build_rows: Array, bitmap: Bitmap | None
    ) -> None:
        columns, logic = self._kernels.columns, self._kernels.logic
        if bitmap is not None:
            if stream_rows is None:
                stream_rows = columns.sequence(stream.length)
            bitmap.add(stream_rows)
        if self._bitmap is not None:
            if columns.null_count(build_rows):
                (build_rows,) = columns.filter([build_rows], logic.is_valid(build_rows))
            self._bitmap.add(build_rows)

    def _gathered(self, stream: Batch, stream_rows: Array | None, build_rows: Array) -> Batch:
        plan, columns = self._plan, self._kernels.columns
        left = _take(stream, plan.stream.kept, stream_rows, columns)
        right = _take(self._rows, plan.build.kept, build_rows, columns)
        both = left + right if plan.stream_is_left else right + left
        return Batch(tuple(both), columns.length(build_rows))

    def finish(self) -> Iterator[Batch]:
        """The rows to return for the build rows, after all stream rows."""
        plan = self._plan
        if not (plan.keeps_build or plan.tests_build):
            return
        matched = self._bitmap.mask() if self._bitmap is not None else self.matcher.marked()
        for batch in _alone(plan, plan.build, plan.stream, self._rows, matched):
            yield from divide_batch(batch, plan.run)


def finish_stream(plan: JoinPlan, stream: Batch, matched: Array) -> Iterator[Batch]:
    """The rows to return for a stream batch, once its matches are known."""
    if plan.keeps_stream or plan.tests_stream:
        yield from _alone(plan, plan.stream, plan.build, stream, matched)


def _alone(plan: JoinPlan, side: Side, other: Side, rows: Batch, matched: Array) -> Iterator[Batch]:
    """Rows of one side alone: tested ones, or unmatched rows of an outer join."""
    kernels = plan.run.kernels
    kept = [rows.columns[ordinal] for ordinal in side.kept]
    if plan.tests == "flagged":
        yield Batch((*kept, Column(matched, BOOLEAN)), rows.length)
        return
    mask = matched if plan.tests == "matched" else kernels.logic.not_(matched)
    chosen = kernels.columns.filter([c.data for c in kept] or [mask], mask)
    length = kernels.columns.length(chosen[0])
    if not length:
        return
    own = [Column(data, c.type) for data, c in zip(chosen, kept, strict=False)]
    if plan.tests is None:
        nothing = empty_rows(other, plan.run)
        nulls = _take(nothing, other.kept, null_rows(length, kernels), kernels.columns)
        own = own + nulls if (side is plan.stream) == plan.stream_is_left else nulls + own
    yield Batch(tuple(own), length)


def _take(
    rows: Batch, ordinals: Sequence[int], numbers: Array | None, columns: Columns
) -> list[Column]:
    """The columns at these ordinals, with these rows; None is all rows in order."""
    chosen = [rows.columns[ordinal] for ordinal in ordinals]
    if numbers is None or not chosen:
        return chosen
    data = columns.take([column.data for column in chosen], numbers)
    return [Column(d, c.type) for d, c in zip(data, chosen, strict=True)]
