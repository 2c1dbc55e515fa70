"""Summaries of many groups at once are those that Spark's loops give for each group."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from broadhead.aggregates import quantile_summaries
from broadhead.aggregates.quantile_summaries import Summaries, joined

Sample = tuple[float, int, int]


def compressed(samples: list[Sample], most: float) -> list[Sample]:
    """Spark's loop from the last sample to the second one."""
    if not samples:
        return []
    result, head = [], samples[-1]
    for sample in reversed(samples[1:-1]):
        if sample[1] + head[1] + head[2] < most:
            head = (head[0], head[1] + sample[1], head[2])
        else:
            result.append(head)
            head = sample
    result.append(head)
    if len(samples) > 1:
        result.append(samples[0])
    return result[::-1]


def inserted(samples: list[Sample], count: int, values: list[float], error: float) -> list[Sample]:
    """Spark's loop over the sorted values of its head buffer."""
    result: list[Sample] = []
    rest = list(samples)
    ordered = sorted(values)
    for number, value in enumerate(ordered):
        while rest and rest[0][0] <= value:
            result.append(rest.pop(0))
        count += 1
        is_end = not result or (not rest and number == len(ordered) - 1)
        result.append((value, 1, 0 if is_end else math.floor(2 * error * count)))
    return compressed(result + rest, 2 * error * count)


def merged(
    left: list[Sample], right: list[Sample], counts: tuple[int, int], error: float
) -> list[Sample]:
    """Spark's loop over two sorted lists."""
    if not left or not right:
        return left or right
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i][0] < right[j][0]:
            value, gap, delta = left[i]
            result.append((value, gap, delta + (math.floor(2 * error * counts[1]) if j else 0)))
            i += 1
        else:
            value, gap, delta = right[j]
            result.append((value, gap, delta + (math.floor(2 * error * counts[0]) if i else 0)))
            j += 1
    return compressed(result + left[i:] + right[j:], 2 * error * sum(counts))


def value_at(samples: list[Sample], count: int, share: float, error: float) -> float:
    """Spark's search for one percentage."""
    if share <= error:
        return samples[0][0]
    if share >= 1 - error:
        return samples[-1][0]
    target = max(gap + delta for _, gap, delta in samples) // 2
    lowest, rank = 0, math.ceil(share * count)
    for value, gap, delta in samples[:-1]:
        lowest += gap
        if lowest + delta - target <= rank <= lowest + target:
            return value
    return samples[-1][0]


def samples_of(found: Summaries, group: int) -> list[Sample]:
    place = slice(found.offsets[group], found.offsets[group + 1])
    columns = (found.values[place], found.gaps[place], found.deltas[place])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def groups_of(seed: int, sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(seed)
    values = numbers.integers(0, 1 + max(sizes) // 2, sum(sizes)).astype(float)
    return values, np.concatenate([[0], np.cumsum(sizes)])


SIZES = [[0, 1, 2, 3, 700, 30, 0, 55], [5] * 20, [1200], [0], []]


@pytest.mark.parametrize("error", [0.3, 0.04, 0.01, 1e-4])
@pytest.mark.parametrize("sizes", SIZES)
def test_summaries_of_rows(monkeypatch, error, sizes):
    monkeypatch.setattr(quantile_summaries, "HEAD_SIZE", 300)
    values, offsets = groups_of(1, sizes or [0])
    found = Summaries.of_rows(values, offsets, error)
    for group, (start, end) in enumerate(pairwise(offsets.tolist())):
        samples: list[Sample] = []
        for first in range(start, end, 300):
            part = values[first : min(first + 300, end)].tolist()
            samples = inserted(samples, first - start, part, error)
        assert samples_of(found, group) == samples
        assert found.counts[group] == end - start


@pytest.mark.parametrize("error", [0.3, 0.04, 0.01, 1e-4])
def test_merged_summaries_and_their_values(error):
    sizes = [[0, 40, 0, 1, 300, 90], [0, 0, 30, 5, 250, 90], [7, 0, 0, 5, 600, 200]]
    parts = [groups_of(seed, part) for seed, part in enumerate(sizes)]
    summaries = [Summaries.of_rows(*part, error) for part in parts]
    found = summaries[0].merged(summaries[1]).merged(summaries[2])
    shares = [0.5, 0.1, 0.9, 0.001, 0.25, 1.0, 0.5]
    at = iter(found.at(shares).tolist())
    for group in range(len(sizes[0])):
        left, *others = (samples_of(summary, group) for summary in summaries)
        count = sizes[0][group]
        for other, other_sizes in zip(others, sizes[1:], strict=True):
            left = merged(left, other, (count, other_sizes[group]), error)
            count += other_sizes[group]
        assert samples_of(found, group) == left
        if count:
            assert next(at) == [value_at(left, count, share, error) for share in shares]


def test_bytes_and_places_of_groups():
    found = Summaries.of_rows(*groups_of(5, [0, 90, 3, 0]), 0.02)
    again = Summaries.of_bytes(*found.rows(), 0.02)
    for group in range(4):
        assert samples_of(again, group) == samples_of(found, group)
    both = joined(
        [found.taken(np.array([2, 0])), found.taken(np.array([-1, 1]))], np.arange(4)[::-1]
    )
    assert [len(samples_of(both, group)) for group in range(4)] == [
        len(samples_of(found, 1)),
        0,
        0,
        3,
    ]
    assert both.counts.tolist() == [90, 0, 0, 3]
