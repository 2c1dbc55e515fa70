"""The keys of build sides, which filter the inputs of joins further below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.join.join_matcher import KeyMatcher
from broadhead.operators.rows.batch_rows import with_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array, JoinTable
    from broadhead.operators.context import Run
    from broadhead.operators.join.join_matcher import Matcher
    from broadhead.operators.join.key_filters import KeyFilter
    from broadhead.plan.nodes import Ordinals

_TRIAL_ROWS = 1 << 16
_MOST_KEPT = 0.5
"""Part of the rows that a useful filter keeps at most: copying them costs as much as a join."""


class PushedKeys:
    """The keys that are known so far in a run."""

    def __init__(self) -> None:
        self._tables: dict[int, JoinTable] = {}

    def give(self, join: int, build: Matcher) -> None:
        """The complete build side of a join, before it reads its stream side."""
        if isinstance(build, KeyMatcher):
            self._tables[join] = build.table

    def tests(self, filters: Sequence[KeyFilter]) -> list[_Test]:
        """The filters whose keys are known; those of a large build side are on disk."""
        return [
            _Test(self._tables[own.join], own.keys) for own in filters if own.join in self._tables
        ]


class _Test:
    """A filter that first proves on some rows that it is useful."""

    def __init__(self, table: JoinTable, keys: Ordinals) -> None:
        self._table = table
        self._keys = keys
        self._tested = 0
        self._kept = 0

    def mask(self, batch: Batch, run: Run) -> Array:
        """Mask of the rows whose keys the build side has."""
        mask = self._table.matches([batch.columns[ordinal].data for ordinal in self._keys])
        if self._tested < _TRIAL_ROWS:
            self._tested += batch.length
            self._kept += _count(mask, run)
        return mask

    @property
    def is_useful(self) -> bool:
        """False once too many of the rows were kept."""
        return self._kept <= _MOST_KEPT * self._tested or self._tested < _TRIAL_ROWS


def filtered_by_keys(
    filters: Sequence[KeyFilter], batches: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """The rows of a node that the joins above it may need, in order."""
    # The generator starts when the join above reads its input: its own build side is complete.
    tests = run.shared(PushedKeys).tests(filters)
    for batch in batches:
        tests = [test for test in tests if test.is_useful]
        kept = _kept(batch, tests, run) if tests and batch.length else batch
        if kept.length:
            yield kept


def _kept(batch: Batch, tests: Sequence[_Test], run: Run) -> Batch:
    mask = tests[0].mask(batch, run)
    for test in tests[1:]:
        mask = run.kernels.logic.and_(mask, test.mask(batch, run))
    length = _count(mask, run)
    if length > _MOST_KEPT * batch.length:
        return batch
    data = run.kernels.columns.filter([column.data for column in batch.columns], mask)
    return with_data(batch.columns, data, length)


def _count(mask: Array, run: Run) -> int:
    """Number of rows for which a mask is true."""
    columns = run.kernels.columns
    return columns.length(columns.filter([mask], mask)[0])
