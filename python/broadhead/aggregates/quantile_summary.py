"""Spark's QuantileSummaries: a sorted sample of numbers that bounds the ranks of all of them.

Each kept value has the number of values that it stands for after the value before it (`gaps`), and
by how much more its rank may be greater (`deltas`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    Doubles = np.ndarray[Any, np.dtype[np.float64]]
    Longs = np.ndarray[Any, np.dtype[np.int64]]

HEAD_SIZE = 50_000
"""So many values are sorted into the sample at once, which is then compressed."""


class QuantileSummary:
    """The sample of values without NaN, in the order in which Spark reads them."""

    def __init__(self, values: Doubles, error: float) -> None:
        self._error = error
        self._count = 0
        self._values = np.zeros(0)
        self._gaps = np.zeros(0, np.int64)
        self._deltas = np.zeros(0, np.int64)
        for start in range(0, len(values), HEAD_SIZE):
            self._insert(np.sort(values[start : start + HEAD_SIZE]))
            self._compress()

    def _insert(self, added: Doubles) -> None:
        before = np.searchsorted(self._values, added, side="right")
        places = before + np.arange(len(added))
        counts = self._count + 1 + np.arange(len(added))
        deltas = np.floor(2 * self._error * counts).astype(np.int64)
        if places[0] == 0:
            deltas[0] = 0
        if before[-1] == len(self._values):
            deltas[-1] = 0
        self._values = _merged(self._values, added, places)
        self._gaps = _merged(self._gaps, np.ones(len(added), np.int64), places)
        self._deltas = _merged(self._deltas, deltas, places)
        self._count += len(added)

    def _compress(self) -> None:
        """Joins values to the next one, from the last on, as far as the error allows."""
        most = 2 * self._error * self._count
        gaps, deltas = self._gaps.tolist(), self._deltas.tolist()
        head = len(gaps) - 1
        gap, delta = gaps[head], deltas[head]
        kept = []
        for place in range(len(gaps) - 2, 0, -1):
            if gaps[place] + gap + delta < most:
                gap += gaps[place]
            else:
                kept.append((head, gap))
                head, gap, delta = place, gaps[place], deltas[place]
        kept.append((head, gap))
        if len(gaps) > 1:
            kept.append((0, gaps[0]))
        chosen = np.array([place for place, _ in reversed(kept)])
        self._gaps = np.array([gap for _, gap in reversed(kept)], np.int64)
        self._values, self._deltas = self._values[chosen], self._deltas[chosen]

    def at(self, shares: Sequence[float]) -> list[float]:
        """The value at each share of the count, in the order of the shares."""
        found = dict.fromkeys(shares, 0.0)
        lowest = np.cumsum(self._gaps)
        target = int((self._gaps + self._deltas).max()) / 2
        first = 0
        for share in sorted(found):
            if share <= self._error or len(self._values) == 1:
                place = 0
            elif share >= 1 - self._error:
                place = len(self._values) - 1
            else:
                rank = math.ceil(share * self._count)
                fits = (lowest + self._deltas - target <= rank) & (rank <= lowest + target)
                fits[:first] = False
                fits[-1] = True
                place = first = int(np.argmax(fits))
            found[share] = float(self._values[place])
        return [found[share] for share in shares]


def _merged(old: Any, added: Any, places: Longs) -> Any:
    merged = np.empty(len(old) + len(added), old.dtype)
    is_old = np.ones(len(merged), bool)
    is_old[places] = False
    merged[places], merged[is_old] = added, old
    return merged
