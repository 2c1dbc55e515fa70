"""WindowGroupLimit: the first rows of each partition, by a rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.window.partition_batches import value_at
from broadhead.plan.known_functions import DENSE_RANK, RANK, ROW_NUMBER
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Array, Kernels, Runs
    from broadhead.operators.context import Run
    from broadhead.plan.windows import WindowGroupLimit


def window_group_limit(node: WindowGroupLimit, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The rows whose rank is at most `node.limit`; batches without such rows are omitted."""
    keys = run.compile([*node.partition, *(order.expression for order in node.order)])
    ranks = _Ranks(node, run)
    columns = run.kernels.columns
    limit = columns.scalar(node.limit, LONG)
    for batch in child:
        if not batch.length:
            continue
        found = ranks.of([column.data for column in keys.evaluate(batch)], batch.length)
        wanted = run.kernels.compare.compare("less_equal", found, limit)
        kept = columns.filter([c.data for c in batch.columns] or [found], wanted)
        length = columns.length(kept[0])
        if length:
            data = zip(kept, batch.columns, strict=False)
            yield Batch(tuple(Column(d, c.type) for d, c in data), length)


@dataclass(frozen=True, slots=True)
class _Last:
    """The keys of the last row so far, and its ranks."""

    keys: list[Array]
    row_number: int
    rank: int
    dense_rank: int


class _Ranks:
    """The ranks of rows that arrive in batches."""

    def __init__(self, node: WindowGroupLimit, run: Run) -> None:
        self._run = run
        self._rank = node.rank
        self._partition_keys = len(node.partition)
        self._last: _Last | None = None

    def of(self, keys: Sequence[Array], length: int) -> Array:
        """The rank of each row of a batch."""
        k = self._run.kernels
        last = self._last
        if last is not None:
            # the last row of the batch before comes first again, so that the batch continues its
            # ranks
            length += 1
            keys = k.columns.concat([last.keys, keys]) if keys else []
        else:
            last = _Last([], 1, 1, 1)
        starts = k.window.changes(keys[: self._partition_keys], length)
        partitions = k.window.runs(starts)
        peers = k.window.runs(k.logic.or_(starts, k.window.changes(keys, length)))
        found = _Found(k, length, partitions, peers, last)
        ranks = {ROW_NUMBER: found.row_number, RANK: found.rank, DENSE_RANK: found.dense_rank}
        wanted = ranks[self._rank]()
        seen = self._last is not None
        self._last = _Last(
            k.columns.slice(keys, length - 1, 1),
            *(value_at(rank(), length - 1, self._run) for rank in ranks.values()),
        )
        return k.columns.slice([wanted], 1, length - 1)[0] if seen else wanted


@dataclass(frozen=True, slots=True)
class _Found:
    """Ranks of rows, whose first row has the ranks of `last`."""

    k: Kernels
    length: int
    partitions: Runs
    peers: Runs
    last: _Last

    def row_number(self) -> Array:
        rows = self.k.columns.sequence(self.length)
        return self._shifted(self._from_first(rows), self.last.row_number, self.partitions)

    def rank(self) -> Array:
        ranks = self._from_first(self.peers.first)
        shifted = self._shifted(ranks, self.last.row_number, self.partitions)
        return self._in_first_run(self.peers, self.k.columns.scalar(self.last.rank, LONG), shifted)

    def dense_rank(self) -> Array:
        (first,) = self.k.columns.take([self.peers.number], self.partitions.first)
        ranks = self._plus(self.k.arithmetic.subtract(self.peers.number, first), 1)
        return self._shifted(ranks, self.last.dense_rank, self.partitions)

    def _from_first(self, positions: Array) -> Array:
        return self._plus(self.k.arithmetic.subtract(positions, self.partitions.first), 1)

    def _plus(self, values: Array, more: int) -> Array:
        return self.k.arithmetic.add(values, self.k.columns.scalar(more, LONG))

    def _shifted(self, ranks: Array, first: int, runs: Runs) -> Array:
        """The ranks, which start with `first` in the first run."""
        if first == 1:
            return ranks
        return self._in_first_run(runs, self._plus(ranks, first - 1), ranks)

    def _in_first_run(self, runs: Runs, there: Array, elsewhere: Array) -> Array:
        zero = self.k.columns.scalar(0, LONG)
        return self.k.logic.if_else(
            self.k.compare.compare("equal", runs.number, zero), there, elsewhere
        )
