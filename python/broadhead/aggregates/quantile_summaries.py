"""Spark's QuantileSummaries of many groups: sorted samples that bound the ranks of all values.

Each sample has the number of values that it stands for after the sample before it (`gaps`), and
by how much more its rank may be greater (`deltas`). Values have neither NaN nor -0.0, for which
Spark's comparisons are no order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    Doubles = np.ndarray[Any, np.dtype[np.float64]]
    Longs = np.ndarray[Any, np.dtype[np.int64]]
    Bytes = np.ndarray[Any, np.dtype[np.uint8]]

HEAD_SIZE = 50_000
"""So many values are sorted into a sample at once, which is then compressed."""
LARGE = 10
"""Values of a group, on average, from which on each is sorted alone."""
COMPRESS_THRESHOLD = 10_000
"""A number that Spark writes and does not use."""
HEAD = np.dtype([("threshold", ">i4"), ("error", ">f8"), ("count", ">i8"), ("length", ">i4")])
SAMPLE = np.dtype([("value", ">f8"), ("gap", ">i8"), ("delta", ">i8")])
WIDTH = HEAD.itemsize


@dataclass(frozen=True, slots=True)
class Summaries:
    """Samples of groups, group after group.

    `offsets` are the indices of the groups' first samples, and the number of all; `counts` are the
    numbers of the groups' values.
    """

    error: float
    values: Doubles
    gaps: Longs
    deltas: Longs
    offsets: Longs
    counts: Longs

    @staticmethod
    def of_rows(values: Doubles, offsets: Longs, error: float) -> Summaries:
        """The summaries of values in the order of the rows, group after group."""
        sizes = np.diff(offsets)
        beyond = np.flatnonzero(sizes > HEAD_SIZE)
        if not len(beyond):
            return _of_heads(_sorted_in_groups(values, offsets), offsets, error)
        within = np.flatnonzero(sizes <= HEAD_SIZE)
        parts = [Summaries.of_rows(*taken(values, offsets, within), error)]
        parts += [_of_many(values[offsets[g] : offsets[g + 1]], error) for g in beyond]
        return joined(parts, np.concatenate([within, beyond]))

    @staticmethod
    def of_exact(values: Doubles, offsets: Longs, error: float) -> Summaries:
        """The summaries of so few values in each group that each is a sample."""
        ordered = _sorted_in_groups(values, offsets)
        zeros = np.zeros(len(values), np.int64)
        return Summaries(error, ordered, zeros + 1, zeros, offsets, np.diff(offsets))

    def taken(self, groups: Longs) -> Summaries:
        """These groups; -1 stands for one without values."""
        none = groups < 0
        sizes = np.where(none, 0, np.diff(self.offsets)[groups])
        indices, offsets = _indices(np.where(none, 0, self.offsets[:-1][groups]), sizes)
        counts = np.where(none, 0, self.counts[groups])
        samples = (self.values[indices], self.gaps[indices], self.deltas[indices])
        return Summaries(self.error, *samples, offsets, counts)

    def merged(self, other: Summaries) -> Summaries:
        """Each group with the one of the other summaries, as Spark merges the other one into it."""
        sizes, others = np.diff(self.offsets), np.diff(other.offsets)
        own, theirs = _before(self, other, "right"), _before(other, self, "left")
        deltas = np.concatenate(
            [
                self.deltas + _added(own, others, sizes, self.error, other.counts),
                other.deltas + _added(theirs, sizes, others, self.error, self.counts),
            ]
        )
        offsets = self.offsets + other.offsets
        indices = np.concatenate(
            [
                np.repeat(offsets[:-1], sizes) + _ranks(sizes) + own,
                np.repeat(offsets[:-1], others) + _ranks(others) + theirs,
            ]
        )
        together = Summaries(
            self.error,
            _scattered(np.concatenate([self.values, other.values]), indices),
            _scattered(np.concatenate([self.gaps, other.gaps]), indices),
            _scattered(deltas, indices),
            offsets,
            self.counts + other.counts,
        )
        return together.compressed((self.counts > 0) & (other.counts > 0))

    def inserted(self, added: Doubles) -> Summaries:
        """The summary of one group with sorted values."""
        before = np.searchsorted(self.values, added, side="right")
        indices = before + np.arange(len(added))
        counts = self.counts[0] + 1 + np.arange(len(added))
        deltas = np.floor(2 * self.error * counts).astype(np.int64)
        if indices[0] == 0:
            deltas[0] = 0
        if before[-1] == len(self.values):
            deltas[-1] = 0
        return Summaries(
            self.error,
            _with_inserted(self.values, added, indices),
            _with_inserted(self.gaps, np.ones(len(added), np.int64), indices),
            _with_inserted(self.deltas, deltas, indices),
            np.array([0, len(self.values) + len(added)]),
            counts[-1:],
        )

    def compressed(self, chosen: Any) -> Summaries:
        """Joins samples to the next one, from the last on, as far as the error allows.

        Only in the groups for which the mask `chosen` is true.
        """
        limits = np.ceil(2 * self.error * self.counts).astype(np.int64)
        limits[~chosen] = 0
        if not (limits > 2).any():
            return self
        sizes = np.diff(self.offsets)
        groups, total = _numbers(sizes), np.cumsum(self.gaps)
        firsts = self.offsets[:-1][groups]
        reached = np.searchsorted(total, total + self.deltas - limits[groups], side="right")
        before = np.minimum(reached, np.arange(len(total)) - 1)
        following = np.maximum(before, firsts).tolist()
        used = sizes > 0
        kept: list[int] = []
        for index, first in zip(
            (self.offsets[1:][used] - 1).tolist(), self.offsets[:-1][used].tolist(), strict=True
        ):
            current = index
            while current > first:
                kept.append(current)
                current = following[current]
            kept.append(first)
        indices = np.sort(np.array(kept, np.int64))
        gaps = np.diff(total[indices], prepend=0)
        is_first = indices == firsts[indices]
        gaps[is_first] = self.gaps[indices[is_first]]
        offsets = np.concatenate(
            [[0], np.cumsum(np.bincount(groups[indices], minlength=len(sizes)))]
        )
        return Summaries(
            self.error, self.values[indices], gaps, self.deltas[indices], offsets, self.counts
        )

    def at(self, shares: Sequence[float]) -> Doubles:
        """The values at each share of the counts: a row for each group that has values."""
        used = np.flatnonzero(self.counts)
        sizes = np.diff(self.offsets)[used]
        starts, ends = self.offsets[:-1][used], self.offsets[1:][used] - 1
        found = np.zeros((len(used), len(shares)))
        if not len(used):
            return found
        groups = _numbers(sizes)
        indices = np.arange(len(groups))
        total = np.cumsum(self.gaps)
        lowest = total - np.repeat(total[starts] - self.gaps[starts], sizes)
        target = (np.maximum.reduceat(self.gaps + self.deltas, starts) // 2)[groups]
        first = starts
        for column in np.argsort(shares, kind="stable"):
            share = shares[column]
            if share <= self.error:
                found[:, column] = self.values[starts]
            elif share >= 1 - self.error:
                found[:, column] = np.where(sizes == 1, self.values[starts], self.values[ends])
            else:
                ranks = np.ceil(share * self.counts[used]).astype(np.int64)[groups]
                fits = (lowest + self.deltas - target <= ranks) & (ranks <= lowest + target)
                fits = (fits & (indices >= first[groups])) | (indices == ends[groups])
                first = np.minimum.reduceat(np.where(fits, indices, len(indices)), starts)
                found[:, column] = self.values[first]
        return found

    def rows(self) -> tuple[Bytes, Longs]:
        """Each summary as Spark's bytes, and where each begins and the last ends."""
        sizes = np.diff(self.offsets)
        content = np.empty((len(sizes) + len(self.values), WIDTH), np.uint8)
        heads = np.zeros(len(sizes), HEAD)
        heads["threshold"], heads["error"] = COMPRESS_THRESHOLD, self.error
        heads["count"], heads["length"] = self.counts, sizes
        samples = np.zeros(len(self.values), SAMPLE)
        samples["value"], samples["gap"], samples["delta"] = self.values, self.gaps, self.deltas
        offsets = self.offsets + np.arange(len(self.offsets))
        content[offsets[:-1]] = heads.view(np.uint8).reshape(-1, WIDTH)
        indices = np.arange(len(self.values)) + _numbers(sizes) + 1
        content[indices] = samples.view(np.uint8).reshape(-1, WIDTH)
        return content.reshape(-1), offsets * WIDTH

    @staticmethod
    def of_bytes(content: Bytes, offsets: Longs, error: float) -> Summaries:
        """The summaries whose bytes these are."""
        rows = content.reshape(-1, WIDTH)
        starts = offsets[:-1] // WIDTH
        heads = rows[starts].reshape(-1).view(HEAD)
        is_sample = np.ones(len(rows), bool)
        is_sample[starts] = False
        samples = rows[is_sample].reshape(-1).view(SAMPLE)
        return Summaries(
            error,
            samples["value"].astype(np.float64),
            samples["gap"].astype(np.int64),
            samples["delta"].astype(np.int64),
            offsets // WIDTH - np.arange(len(offsets)),
            heads["count"].astype(np.int64),
        )


def joined(parts: Sequence[Summaries], groups: Longs) -> Summaries:
    """The groups of all parts together, each at the index that `groups` names."""
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    together = Summaries(
        parts[0].error,
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.gaps for part in parts]),
        np.concatenate([part.deltas for part in parts]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.counts for part in parts]),
    )
    order = np.empty(len(groups), np.int64)
    order[groups] = np.arange(len(groups))
    return together.taken(order)


def taken(values: Any, offsets: Longs, groups: Longs) -> tuple[Any, Longs]:
    """The values of these groups, and their offsets."""
    indices, chosen = _indices(offsets[:-1][groups], np.diff(offsets)[groups])
    return values[indices], chosen


def _before(own: Summaries, other: Summaries, side: Literal["left", "right"]) -> Longs:
    """How many of the other samples of its group come before each sample.

    Equal ones do so for the side `right`.
    """
    found = np.zeros(len(own.values), np.int64)
    bounds = (own.offsets[:-1], own.offsets[1:], other.offsets[:-1], other.offsets[1:])
    for start, end, first, last in zip(*(bound.tolist() for bound in bounds), strict=True):
        if start < end and first < last:
            values = other.values[first:last]
            found[start:end] = np.searchsorted(values, own.values[start:end], side)
    return found


def _added(before: Longs, most: Longs, sizes: Longs, error: float, counts: Longs) -> Longs:
    """What the other side's values add to the deltas of samples between its samples."""
    added = np.floor(2 * error * counts).astype(np.int64)
    between = (before > 0) & (before < np.repeat(most, sizes))
    return np.where(between, np.repeat(added, sizes), 0)


def _scattered(values: Any, indices: Longs) -> Any:
    result = np.empty_like(values)
    result[indices] = values
    return result


def _of_heads(values: Doubles, offsets: Longs, error: float) -> Summaries:
    """The summaries of groups whose sorted values are sorted into empty samples at once."""
    sizes = np.diff(offsets)
    ranks = _ranks(sizes)
    deltas = np.floor(2 * error * (ranks + 1)).astype(np.int64)
    used = sizes > 0
    deltas[offsets[:-1][used]] = 0
    deltas[offsets[1:][used] - 1] = 0
    gaps = np.ones(len(values), np.int64)
    return Summaries(error, values, gaps, deltas, offsets, sizes).compressed(used)


def _of_many(values: Doubles, error: float) -> Summaries:
    """The summary of one group that is sorted into its sample in parts."""
    first = np.sort(values[:HEAD_SIZE])
    found = _of_heads(first, np.array([0, len(first)]), error)
    for start in range(HEAD_SIZE, len(values), HEAD_SIZE):
        found = found.inserted(np.sort(values[start : start + HEAD_SIZE]))
        found = found.compressed(np.ones(1, bool))
    return found


def _sorted_in_groups(values: Doubles, offsets: Longs) -> Doubles:
    """The values of each group in order."""
    sizes = np.diff(offsets)
    if len(values) >= LARGE * len(sizes):
        ordered = values.copy()
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            ordered[start:end].sort()
        return ordered
    return values[np.lexsort((values, _numbers(sizes)))]


def _numbers(sizes: Longs) -> Longs:
    """The number of each value's group."""
    return np.repeat(np.arange(len(sizes)), sizes)


def _ranks(sizes: Longs) -> Longs:
    """The rank of each value in its group."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)


def _indices(starts: Longs, sizes: Longs) -> tuple[Longs, Longs]:
    """The indices of groups that begin at `starts`, and the offsets of the groups among these."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return np.repeat(starts, sizes) + _ranks(sizes), offsets


def _with_inserted(old: Any, added: Any, indices: Longs) -> Any:
    merged = np.empty(len(old) + len(added), old.dtype)
    is_old = np.ones(len(merged), bool)
    is_old[indices] = False
    merged[indices], merged[is_old] = added, old
    return merged
