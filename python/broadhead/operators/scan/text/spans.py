"""Parts of a block of bytes, one for each line, and the values of their plain texts.

Eight characters are read as one number of 64 bits, so that a column needs few operations of numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

_PADDING = 24
"""Bytes before and after a block, so that eight of them can be read anywhere."""

_WORD = 8
_MOST_DIGITS = 16
_ZEROS = np.uint64(0x3030303030303030)
_TO_HIGH_BIT = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_LAST = np.array([0, *((2**64 - 1) & ~(2 ** (8 * (8 - n)) - 1) for n in range(1, 9))], np.uint64)
"""Masks of the last characters of a word, by their number."""
_FIRST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
"""Masks of the first characters of a word, by their number."""

_DATE_LENGTH = 10
_DASHES_MASK, _DASHES = np.uint64(0xFF0000FF00000000), np.uint64(0x2D00002D00000000)
_YEAR, _MONTH, _DAY = (
    np.uint64(0x00000000FFFFFFFF),
    np.uint64(0x0000FFFF00000000),
    np.uint64(0xFFFF000000000000),
)
_FIRST_YEAR, _LAST_YEAR = 1000, 9999


class Characters:
    """The bytes of a block, read anywhere."""

    def __init__(self, block: bytes) -> None:
        self.padded = b"".join([bytes(_PADDING), block, bytes(_PADDING)])
        self._bytes = np.frombuffer(self.padded, np.uint8)
        self._words = np.ndarray((len(self.padded) - _WORD + 1,), "<u8", self.padded, strides=(1,))

    def at(self, places: Any) -> Any:
        """The bytes at these positions of the block."""
        return self._bytes[places + _PADDING]

    def words(self, places: Any) -> Any:
        """Eight bytes from each of these positions, the first one lowest."""
        return self._words[places + _PADDING]

    def have(self, places: Any, text: bytes) -> Any:
        """Mask of the positions where the text stands."""
        result = None
        for start in range(0, len(text), _WORD):
            part = text[start : start + _WORD]
            expected = np.uint64(int.from_bytes(part, "little"))
            # the last words are zeros, with which a text that would end later is not equal
            found = self._words[np.minimum(places + (start + _PADDING), len(self._words) - 1)]
            same = (found if len(part) == _WORD else found & _FIRST[len(part)]) == expected
            result = same if result is None else result & same
        return np.ones(len(places), bool) if result is None else result


@dataclass(frozen=True, slots=True)
class Numbers:
    """Decimal numbers: `unscaled` without their points, `fractions` digits after the point.

    `plain` is a mask of the spans that are such numbers of at most 16 digits, without superfluous
    zeros before the point; `negative` of those with a sign.
    """

    unscaled: Any
    fractions: Any
    negative: Any
    plain: Any


@dataclass(frozen=True, slots=True)
class Spans:
    """Parts of a block."""

    characters: Characters
    starts: Any
    ends: Any

    def strings(self) -> pa.Array:
        """The texts."""
        if not len(self.starts):
            return pa.array([], pa.string())
        sizes = self.ends - self.starts
        width = int(sizes[0])
        if 0 < width <= _WORD and (sizes == width).all():
            words = self.characters.words(self.starts)
            content = words.view(np.uint8).reshape(-1, _WORD)[:, :width].tobytes()
            offsets = np.arange(0, len(content) + 1, width, dtype=np.int32)
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
            return pa.Array.from_buffers(pa.string(), len(sizes), buffers)
        # between two texts is another, which is left out
        bounds = np.empty(2 * len(sizes), np.int32)
        bounds[::2], bounds[1::2] = self.starts + _PADDING, self.ends + _PADDING
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(self.characters.padded)]
        pieces = pa.Array.from_buffers(pa.string(), len(bounds) - 1, buffers)
        return pieces.take(pa.array(np.arange(0, len(bounds), 2)))

    def are(self, text: bytes) -> Any:
        """Mask of the spans that are this text."""
        return (self.ends - self.starts == len(text)) & self.characters.have(self.starts, text)

    def numbers(self) -> Numbers:
        """The spans as decimal numbers."""
        negative = self.characters.at(self.starts) == ord("-")
        if not negative.any():
            return self._numbers(negative, self.starts)
        found = self._numbers(negative, self.starts + negative)
        unscaled = np.where(negative, -found.unscaled, found.unscaled)
        return Numbers(unscaled, found.fractions, negative, found.plain)

    def _numbers(self, negative: Any, first: Any) -> Numbers:
        """The numbers without their signs, which start at `first`."""
        characters, sizes = self.characters, self.ends - first
        guess = _fraction_of_one(characters, first, self.ends)
        # most columns have either no points or all at the same place
        fractions = np.full(len(sizes), guess)
        counts = sizes - 1 if guess else sizes
        digits, plain = _digits(characters, self.ends, counts, fractions if guess else None)
        if guess:
            plain &= characters.at(self.ends - 1 - guess) == ord(".")
        if not plain.all():
            fractions = _fractions(characters, first, self.ends)
            counts = sizes - (fractions > 0)
            digits, plain = _digits(characters, self.ends, counts, fractions)
        whole = counts - fractions
        plain &= (whole >= 1) & (counts <= _MOST_DIGITS)
        plain &= (whole == 1) | (characters.at(first) != ord("0"))
        return Numbers(digits.view(np.int64), fractions, negative, plain)

    def dates(self) -> tuple[Any, Any]:
        """Days since 1970 of texts like `2020-02-29` since the year 1000, and a mask of them."""
        head, tail = self.characters.words(self.starts), self.characters.words(self.starts + 2)
        plain = self.ends - self.starts == _DATE_LENGTH
        plain &= (head & _DASHES_MASK) == _DASHES
        word = (head & _YEAR) | ((head >> np.uint64(8)) & _MONTH) | (tail & _DAY)
        number, valid = _number(word ^ _ZEROS)
        plain &= valid
        number = np.where(plain, number, 0).astype(np.int32)
        months = number // 100
        first_days, lengths = _months()
        day = number - months * 100
        plain &= (day >= 1) & (day <= lengths[months])
        return first_days[months] + (day - 1), plain


def _fractions(characters: Characters, first: Any, ends: Any) -> Any:
    """How many digits follow the point of each number; 0 for no point."""
    result = np.zeros(len(ends), np.int64)
    for count in range(1, _WORD + 1):
        places = ends - 1 - count
        result[(characters.at(places) == ord(".")) & (places > first)] = count
    return result


def _fraction_of_one(characters: Characters, first: Any, ends: Any) -> int:
    if not len(ends):
        return 0
    text = characters.padded[int(first[0]) + _PADDING : int(ends[0]) + _PADDING]
    place = text.find(b".")
    return min(len(text) - 1 - place, _WORD) if place >= 0 else 0


def _digits(characters: Characters, ends: Any, counts: Any, fractions: Any) -> tuple[Any, Any]:
    """The numbers that the last `counts` digits are, and a mask of digits alone.

    A point before so many digits as `fractions` are is left out; None for no points.
    """
    counts = np.clip(counts, 0, _MOST_DIGITS)
    word = characters.words(ends - _WORD)
    before = ends - 2 * _WORD
    if fractions is not None:
        mask = _LAST[fractions]
        with_point = (word & mask) | (characters.words(ends - _WORD - 1) & ~mask)
        word = np.where(fractions > 0, with_point, word)
        before = before - (fractions > 0)
    number, plain = _number((word ^ _ZEROS) & _LAST[np.minimum(counts, _WORD)])
    if counts.max(initial=0) > _WORD:
        more = np.maximum(counts - _WORD, 0)
        high, valid = _number((characters.words(before) ^ _ZEROS) & _LAST[more])
        number = high * np.uint64(10**_WORD) + number
        plain &= valid
    return number, plain


def _number(word: Any) -> tuple[Any, Any]:
    """The numbers of eight digits, each a byte, the first one lowest; a mask of digits alone."""
    valid = ((word + _TO_HIGH_BIT) | word) & _HIGH_BITS == 0
    word = (word * np.uint64(2561) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    word = (word * np.uint64(6553601) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return word * np.uint64(42949672960001) >> np.uint64(32), valid


@cache
def _months() -> tuple[Any, Any]:
    """The first day, since 1970, and the number of days of each month, by `yyyymm`."""
    months = np.arange(f"{_FIRST_YEAR}-01", f"{_LAST_YEAR + 1}-02", dtype="datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int32)
    number = months.astype(np.int64) + 1970 * 12
    places = number // 12 * 100 + number % 12 + 1
    first, lengths = (np.zeros((_LAST_YEAR + 1) * 100 + 1, np.int32) for _ in range(2))
    first[places[:-1]], lengths[places[:-1]] = days[:-1], np.diff(days)
    return first, lengths
