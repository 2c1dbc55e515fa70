"""The bytes of a block, of which eight are read as a number of 64 bits.

So the texts of a column need few operations of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PADDING = 256
"""Bytes before and after a block, so that as many of them can be read anywhere."""

MOST_LIKE = 192
"""The longest pattern, in bytes."""

WORD = 8
"""Bytes of a word."""
_MOST_WORDS = 4
FIRST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
"""Masks of the first characters of a word, by their number."""
LAST = np.array([0, *((2**64 - 1) & ~(2 ** (8 * (8 - n)) - 1) for n in range(1, 9))], np.uint64)
"""Masks of the last characters of a word, by their number."""

_PLACE_OF_ONE = np.uint64(0x0001020304050607)
_TO_LAST = np.uint64(56)
_IN_EACH = 0x0101010101010101
_ONES, _HIGH_BITS = np.uint64(_IN_EACH), np.uint64(0x80 * _IN_EACH)
_ALL_BITS = np.uint64(2**64 - 1)
_TO_LOW_BIT = np.uint64(7)
_BYTES_FROM_HERE = np.uint64(0x0807060504030201)


class Characters:
    """The bytes of a block, read anywhere."""

    def __init__(self, block: bytes) -> None:
        self.padded = b"".join([bytes(PADDING), block, bytes(PADDING)])
        self._bytes = np.frombuffer(self.padded, np.uint8)
        self._windows = {count: self._windows_of(count) for count in (1, 2, 4)}

    def _windows_of(self, count: int) -> Any:
        """So many words from each byte on; numpy gathers several as fast as one."""
        size = len(self.padded) - count * WORD + 1
        return np.ndarray((size,), f"V{count * WORD}", self.padded, strides=(1,))

    def text(self, start: int, end: int) -> bytes:
        """The bytes between two positions."""
        return self.padded[start + PADDING : end + PADDING]

    def at(self, places: Any) -> Any:
        """The bytes at these positions of the block."""
        return self._bytes[places + PADDING]

    def words(self, places: Any) -> Any:
        """Eight bytes from each of these positions, the first one lowest."""
        return self._windows[1][places + PADDING].view("<u8")

    def pairs(self, places: Any) -> tuple[Any, Any]:
        """The two words from each of these positions."""
        both = self._windows[2][places + PADDING].view("<u8")
        return both[::2], both[1::2]

    def have(self, places: Any, text: bytes, *, near: bool = False) -> Any:
        """Mask of the positions where the text stands.

        `near` says that all are in the block or a few bytes around it; without it, they may be
        anywhere.
        """
        found = None
        for start in range(0, len(text), _MOST_WORDS * WORD):
            part = text[start : start + _MOST_WORDS * WORD]
            is_inside = near and start == 0
            words = self._words_from(places + (start + PADDING), len(part), is_inside=is_inside)
            for offset in range(0, len(part), WORD):
                expected = part[offset : offset + WORD]
                word = words[:, offset // WORD]
                if len(expected) < WORD:
                    word = word & FIRST[len(expected)]
                same = word == np.uint64(int.from_bytes(expected, "little"))
                found = same if found is None else found & same
        return np.ones(len(places), bool) if found is None else found

    def like(self, places: Any, pattern: Any, known: Any) -> Any:
        """Mask of the positions in the block where these words stand, but for unknown bits."""
        windows = self._windows_of(len(pattern))
        words = windows[places + PADDING].view("<u8").reshape(-1, len(pattern))
        found = np.ones(len(places), bool)
        for number, (expected, mask) in enumerate(zip(pattern, known, strict=True)):
            if mask == _ALL_BITS:
                found &= words[:, number] == expected
            elif mask:
                found &= (words[:, number] & mask) == expected
        return found

    def until(self, places: Any, heads: Any, limits: Any, character: int) -> Any:
        """How many bytes of the block stand before the first such character from each place.

        `heads` are the words there. Where none is before the limit, the number leads to no such
        character, or beyond the limit.
        """
        pattern = np.uint64(character * _IN_EACH)
        result = _before_zero(heads ^ pattern)
        rows = np.flatnonzero(result == WORD)
        for offset in range(WORD, _MOST_WORDS * WORD, WORD):
            if not len(rows):
                return result
            found = _before_zero(self.words(places[rows] + offset) ^ pattern)
            result[rows] += found
            rows = rows[found == WORD]
        first = places[rows]
        spans = zip((first + PADDING).tolist(), (limits[rows] + PADDING).tolist(), strict=True)
        ends = [self.padded.find(character, start, limit) for start, limit in spans]
        found = np.array(ends, np.int64) - PADDING
        result[rows] = np.where(found < 0, limits[rows], found) - first
        return result

    def _words_from(self, places: Any, count: int, *, is_inside: bool) -> Any:
        """Words with `count` bytes from each of these places, which may be outside the padding."""
        size = next(size for size in self._windows if size * WORD >= count)
        windows = self._windows[size]
        if not is_inside and len(places) and (places.min() < 0 or places.max() >= len(windows)):
            # the first and the last words have zeros, with which no text is equal
            places = np.clip(places, 0, len(windows) - 1)
        return windows[places].view("<u8").reshape(-1, size)


def _before_zero(words: Any) -> Any:
    """How many bytes stand before the first zero of each word; 8 for no zero."""
    zeros = (words - _ONES) & ~words & _HIGH_BITS
    # the lowest bit alone tells where the first one is
    first = zeros & np.negative(zeros)
    return WORD - ((first >> _TO_LOW_BIT) * _BYTES_FROM_HERE >> _TO_LAST).view(np.int64)


def places_of(mask: Any) -> Any:
    """Positions where a mask of bytes is true: fast if they are some bytes apart."""
    count = len(mask) // WORD
    words = mask[: count * WORD].view(np.uint64)
    numbers = np.flatnonzero(words != 0)
    found = words[numbers]
    if (found & (found - np.uint64(1))).any():
        return np.flatnonzero(mask)
    places = numbers * WORD + (found * _PLACE_OF_ONE >> _TO_LAST).view(np.int64)
    rest = np.flatnonzero(mask[count * WORD :])
    return np.concatenate([places, rest + count * WORD]) if len(rest) else places
