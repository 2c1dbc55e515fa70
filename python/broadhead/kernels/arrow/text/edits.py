"""The edits between strings, by the bit vectors of Myers."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.text.unicode_text import decoded

Array = Any
Numbers = np.ndarray[Any, Any]

_BITS = 64
_CELLS = 1 << 18
"""Entries of a table of matches that stays in the processor's caches."""

ONE = np.uint64(1)


def edits(left: Array, right: Array) -> Numbers:
    """The edits of each pair of strings; any number where one is null.

    Raises `EngineLimit` if both strings of a pair have more than 64 characters.
    """
    codes, counts = zip(decoded(left), decoded(right), strict=True)
    letters, numbers = _numbered(np.concatenate(codes))
    starts = [np.cumsum(count) - count for count in counts]
    starts[1] = starts[1] + len(codes[0])
    swapped = counts[0] < counts[1]
    short = np.where(swapped, starts[0], starts[1]), np.where(swapped, counts[0], counts[1])
    long = np.where(swapped, starts[1], starts[0]), np.where(swapped, counts[1], counts[0])
    if len(left) and short[1].max() > _BITS:
        raise EngineLimit("levenshtein of two strings of more than 64 characters")
    result = np.empty(len(left), np.int32)
    # pairs of like lengths together: at each position those that go on are the first ones
    order = np.argsort(-long[1], kind="stable")
    step = max(_CELLS // max(letters, 1), 1)
    for at in range(0, len(left), step):
        rows = order[at : at + step]
        result[rows] = _edits(
            numbers, letters, (short[0][rows], short[1][rows]), (long[0][rows], long[1][rows])
        )
    return result


def _numbered(codes: Numbers) -> tuple[int, Numbers]:
    """How many different code points there are, and the number of each."""
    used = np.zeros(int(codes.max()) + 1 if len(codes) else 1, bool)
    used[codes] = True
    return int(used.sum()), (np.cumsum(used) - 1)[codes]


def _edits(
    numbers: Numbers, letters: int, short: tuple[Numbers, Numbers], long: tuple[Numbers, Numbers]
) -> Numbers:
    matches = _matches(numbers, letters, short)
    rows = len(matches)
    up, down = np.full(rows, ~np.uint64(0)), np.zeros(rows, np.uint64)
    last = np.maximum(short[1] - 1, 0).astype(np.uint64)
    score = short[1].astype(np.int64)
    starts, lengths = long
    for position in range(int(lengths[0]) if rows else 0):
        here = int(np.searchsorted(-lengths, -position, side="left"))
        equal = matches[np.arange(here), numbers[starts[:here] + position]]
        pv, mv = up[:here], down[:here]
        vertical = equal | mv
        horizontal = (((equal & pv) + pv) ^ pv) | equal
        rises, falls = mv | ~(horizontal | pv), pv & horizontal
        score[:here] += ((rises >> last[:here]) & ONE).astype(np.int64)
        score[:here] -= ((falls >> last[:here]) & ONE).astype(np.int64)
        rises, falls = (rises << ONE) | ONE, falls << ONE
        up[:here] = falls | ~(vertical | rises)
        down[:here] = rises & vertical
    return np.where(short[1] == 0, lengths, score)


def _matches(numbers: Numbers, letters: int, short: tuple[Numbers, Numbers]) -> Numbers:
    """For each pair and letter the positions of the short string that have the letter, as bits."""
    starts, lengths = short
    table = np.zeros((len(starts), letters), np.uint64)
    for position in range(int(lengths.max()) if len(lengths) else 0):
        rows = np.flatnonzero(lengths > position)
        table[rows, numbers[starts[rows] + position]] |= ONE << np.uint64(position)
    return table
