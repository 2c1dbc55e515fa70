"""Two indexes from the code of a key to a build row: an array and a hash table."""

from __future__ import annotations

from typing import Any

import numpy as np

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ALWAYS_DENSE = 1 << 23
"""Number of slots of an array that is always allowed: 32 MiB."""

_DENSE_SLOTS = 1 << 25
_SLOTS_PER_ROW = 32
_SET_BITS = 2
"""The set of hashes has four bytes for each slot of a hash table, so eight or more for each row."""


def row_index(codes: Any, usable: Any, span: int) -> DenseIndex | HashTable:
    """The faster index for codes below `span`; codes with a false `usable` are omitted."""
    dense = max(_ALWAYS_DENSE, min(_SLOTS_PER_ROW * len(codes), _DENSE_SLOTS))
    rows = np.arange(len(codes), dtype=np.int32)
    if usable is not None:
        rows, codes = rows[usable], codes[usable]
    return DenseIndex(codes, rows, span) if span <= dense else HashTable(codes, rows)


class DenseIndex:
    """An array with a slot for each possible code."""

    distinct = False
    """Not known: searching is as fast."""

    def __init__(self, codes: Any, rows: Any, span: int) -> None:
        self._beyond = np.uint64(span)
        self._rows = np.full(span + 1, -1, np.int32)
        self._rows[codes.view(np.int64)] = rows

    def find(self, codes: Any, usable: Any) -> Any:
        """A build row with each code, always the same one, or -1."""
        slots = np.minimum(codes, self._beyond).view(np.int64)
        if usable is not None:
            slots[~usable] = int(self._beyond)
        return self._rows.take(slots, mode="clip")


class HashTable:
    """A hash table with open addressing, filled and searched in rounds of whole columns.

    If another code occupies its slot, a code moves to the next slot in the next round. Most codes
    that are not in the table are recognised by a set of the first bits of hashes, a byte each: it
    is small enough for the processor's cache, and takes a tenth of the time.
    """

    def __init__(self, codes: Any, rows: Any) -> None:
        bits = max(4, (2 * len(codes)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._last = (1 << bits) - 1
        self._codes = np.zeros(1 << bits, np.uint64)
        self._rows = np.full(1 << bits, -1, np.int32)
        self._set_shift = np.uint64(64 - bits - _SET_BITS)
        self._set = np.zeros(1 << (bits + _SET_BITS), bool)
        self.distinct = self._fill(codes, rows) == len(rows)
        """Whether all codes are different."""

    def _fill(self, codes: Any, rows: Any) -> int:
        """Put the rows into the table; gives the number of those that have a slot."""
        hashes = codes * _MULTIPLIER
        self._set[(hashes >> self._set_shift).view(np.int64)] = True
        slots = (hashes >> self._shift).view(np.int64)
        count = 0
        while len(codes):
            free = self._rows.take(slots) < 0
            self._rows[slots[free]] = rows[free]
            # several rows may have written one slot: the last one remains, and its code is stored
            # after it
            won = self._rows.take(slots) == rows
            self._codes[slots[won]] = codes[won]
            count += int(np.count_nonzero(won))
            lost = self._codes.take(slots) != codes
            codes, rows = codes[lost], rows[lost]
            slots = (slots[lost] + 1) & self._last
        return count

    def find(self, codes: Any, usable: Any) -> Any:
        """A build row with each code, always the same one, or -1."""
        hashes = codes * _MULTIPLIER
        likely = np.flatnonzero(
            self._set.take((hashes >> self._set_shift).view(np.int64), mode="clip")
        )
        if 2 * len(likely) < len(codes):
            found = np.full(len(codes), -1, np.int32)
            found[likely] = self._search(codes[likely], hashes[likely])
        else:
            found = self._search(codes, hashes)
        if usable is not None:
            found[~usable] = -1
        return found

    def _search(self, codes: Any, hashes: Any) -> Any:
        slots = (hashes >> self._shift).view(np.int64)
        found = self._rows.take(slots, mode="clip")
        other = self._codes.take(slots, mode="clip") != codes
        open_ = np.flatnonzero(other & (found >= 0))
        found[open_] = -1
        slots, codes_left = slots[open_], codes[open_]
        while len(open_):
            slots = (slots + 1) & self._last
            rows = self._rows.take(slots)
            same = self._codes.take(slots) == codes_left
            hit = same & (rows >= 0)
            found[open_[hit]] = rows[hit]
            left = ~same & (rows >= 0)
            open_, slots, codes_left = open_[left], slots[left], codes_left[left]
        return found
