"""The bytes of a block, of which eight are read as a number of 64 bits.

So the texts of a column need few operations of numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

PADDING = 256
"""Bytes before and after a block, so that as many of them can be read anywhere."""

MOST_LIKE = 192
"""The longest pattern, in bytes."""

WORD = 8
"""Bytes of a word."""
_MOST_WORDS = 4
_ROWS_AT_ONCE = 16
"""How many rows are combined at once, since a step of numpy's has a price."""
WINDOWS = (2, 4, 8)
"""How many words can be looked at around a position."""
_MOST_ROUNDS = 2
_MANTISSA_BITS, _EXPONENT_OF_ONE = 52, 1023

FIRST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
"""Masks of the first characters of a word, by their number."""
LAST = np.array([0, *((2**64 - 1) & ~(2 ** (8 * (8 - n)) - 1) for n in range(1, 9))], np.uint64)
"""Masks of the last characters of a word, by their number."""

_BYTE_OF_ONE = np.uint64(0x0001020304050607)
_TO_LAST = np.uint64(56)


class Characters:
    """The bytes of a block, read anywhere."""

    def __init__(self, content: bytes, margin: int = 0) -> None:
        """`content` is the block with so many zeros before and after it."""
        missing = bytes(PADDING - margin)
        self.padded = b"".join((missing, content, missing)) if missing else content
        self._bytes = np.frombuffer(self.padded, np.uint8)
        self._windows = {count: self._windows_of(count) for count in (1, 2, 4)}

    def _windows_of(self, count: int) -> Any:
        """So many words from each byte on; numpy gathers several as fast as one."""
        size = len(self.padded) - count * WORD + 1
        return np.ndarray((size,), f"V{count * WORD}", self.padded, strides=(1,))

    def text(self, start: int, end: int) -> bytes:
        """The bytes between two positions."""
        return self.padded[start + PADDING : end + PADDING]

    def at(self, positions: Any) -> Any:
        """The bytes at these positions of the block."""
        return self._bytes[positions + PADDING]

    def words(self, positions: Any) -> Any:
        """Eight bytes from each of these positions, the first one lowest."""
        return self._windows[1][positions + PADDING].view("<u8")

    def pairs(self, positions: Any) -> tuple[Any, Any]:
        """The two words from each of these positions."""
        both = self._windows[2][positions + PADDING].view("<u8")
        return both[::2], both[1::2]

    def have(self, positions: Any, text: bytes, *, near: bool = False) -> Any:
        """Mask of the positions where the text stands.

        `near` says that all are in the block or a few bytes around it; without it, they may be
        anywhere.
        """
        found = None
        for start in range(0, len(text), _MOST_WORDS * WORD):
            part = text[start : start + _MOST_WORDS * WORD]
            is_inside = near and start == 0
            words = self._words_from(positions + (start + PADDING), len(part), is_inside=is_inside)
            for offset in range(0, len(part), WORD):
                expected = part[offset : offset + WORD]
                word = words[:, offset // WORD]
                if len(expected) < WORD:
                    word = word & FIRST[len(expected)]
                same = word == np.uint64(int.from_bytes(expected, "little"))
                found = same if found is None else found & same
        return np.ones(len(positions), bool) if found is None else found

    def around(self, positions: Any, before: int, count: int) -> Window:
        """So many words before each of these positions in the block, and up to `count` in all."""
        words = self._windows_of(count)[positions + (PADDING - before * WORD)]
        return Window(words.view("<u8").reshape(-1, count), before)

    def rows_like(self, positions: Any, pattern: bytes, known: bytes) -> Rows | None:
        """The words from each of the positions on, if the pattern stands at all of them.

        The pattern counts where `known` has the bits of ones, and is not longer than `MOST_LIKE`.
        At least eight bytes follow it in the words.
        """
        count = -(-len(pattern) // WORD) + 1
        words = self._windows_of(count)[positions + PADDING].view("<u8").reshape(-1, count)
        rows = Rows(words, _combined(np.bitwise_and, words), _combined(np.bitwise_or, words))
        return rows if rows.are_like(pattern, known) else None

    def until(self, positions: Any, window: Window, limits: Any, character: int) -> Any:
        """How many bytes of the block stand before the first such character from each position.

        `window` has the words there. Where none is before the limit, the number leads to no such
        character, or beyond the limit.
        """
        result = window.sizes_before(character)
        if result.min(initial=0) >= 0:
            return result
        rows, offset = np.flatnonzero(result < 0), window.size
        for _ in range(_MOST_ROUNDS):
            found = self.around(positions[rows] + offset, 0, WINDOWS[-1]).sizes_before(character)
            result[rows] = np.where(found < 0, found, found + offset)
            rows, offset = rows[found < 0], offset + WINDOWS[-1] * WORD
            if not len(rows):
                return result
        first = positions[rows]
        spans = zip((first + PADDING).tolist(), (limits[rows] + PADDING).tolist(), strict=True)
        ends = [self.padded.find(character, start, limit) for start, limit in spans]
        found = np.array(ends, np.int64) - PADDING
        result[rows] = np.where(found < 0, limits[rows], found) - first
        return result

    def _words_from(self, positions: Any, count: int, *, is_inside: bool) -> Any:
        """Words with `count` bytes from each position on, which may be outside the padding."""
        size = next(size for size in self._windows if size * WORD >= count)
        windows = self._windows[size]
        outside = not is_inside and len(positions) > 0
        if outside and (positions.min() < 0 or positions.max() >= len(windows)):
            # the first and the last words have zeros, with which no text is equal
            positions = np.clip(positions, 0, len(windows) - 1)
        return windows[positions].view("<u8").reshape(-1, size)


@dataclass(frozen=True, slots=True)
class Window:
    """Some words around positions: a row for each, of which `before` stand before it."""

    words: Any
    before: int

    @property
    def size(self) -> int:
        """The number of bytes from each position on."""
        return int((self.words.shape[1] - self.before) * WORD)

    def heads(self) -> Any:
        """The word from each position on."""
        return self.words[:, self.before].copy()

    def follow(self, text: bytes) -> Any:
        """Mask of the positions before which the text stands; it has at most the words before."""
        count = -(-len(text) // WORD)
        expected = np.frombuffer(text.rjust(count * WORD, b"\0"), "<u8")
        start = self.before - count
        # what stands before the text may be anything
        other = (self.words[:, start] ^ expected[0]) & LAST[len(text) - (count - 1) * WORD]
        for number in range(1, count):
            other |= self.words[:, start + number] ^ expected[number]
        return other == 0

    def sizes_before(self, character: int) -> Any:
        """How many bytes stand before the first such character of each row; -1 for none."""
        found = np.packbits(self.words.view(np.uint8) == character, bitorder="little")
        bits = found.view(f"<u{self.words.shape[1]}")
        bits = bits >> bits.dtype.type(self.before * WORD)
        return np.maximum(_bit_of_one(bits & np.negative(bits)), -1)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of words; `each` has the bits that are ones in each row, `some` those in some row."""

    words: Any
    each: Any
    some: Any

    def are_like(self, pattern: bytes, known: bytes) -> bool:
        """Whether each row starts with the pattern, where `known` has the bits of ones."""
        expected, mask = (
            np.frombuffer(text.ljust(self.each.nbytes, b"\0"), "<u8") for text in (pattern, known)
        )
        return not (((self.each ^ expected) | (self.some ^ expected)) & mask).any()

    def may_have(self, character: int, start: int, end: int) -> bool:
        """Whether a row may have the character somewhere; not for letters instead of signs."""
        each, some = (bits.view(np.uint8)[start:end] for bits in (self.each, self.some))
        wanted = np.uint8(character)
        return bool((((each & ~wanted) | (~some & wanted)) == 0).any())

    def word_at(self, position: int) -> Any:
        """The eight bytes from a position on in each row."""
        size, steps = (len(self.words),), self.words.strides[:1]
        return np.ndarray(size, "<u8", self.words, offset=position, strides=steps).copy()


def _combined(combine: np.ufunc, rows: Any) -> Any:
    """The rows of words, combined bit by bit."""
    columns = rows.shape[1]
    whole = len(rows) // _ROWS_AT_ONCE * _ROWS_AT_ONCE
    several = rows[:whole].reshape(-1, _ROWS_AT_ONCE * columns)
    parts = [combine.reduce(several).reshape(-1, columns)] if whole else []
    return combine.reduce(np.concatenate([*parts, rows[whole:]]))


def _bit_of_one(words: Any) -> Any:
    """Which bit of each word is set, if it is the only one; a negative number for none."""
    exponents = words.astype(np.float64).view(np.int64) >> _MANTISSA_BITS
    return exponents - _EXPONENT_OF_ONE


def positions_of(mask: Any) -> Any:
    """Positions where a mask of bytes is true: fast if they are some bytes apart."""
    count = len(mask) // WORD
    words = mask[: count * WORD].view(np.uint64)
    numbers = np.flatnonzero(words != 0)
    found = words[numbers]
    if (found & (found - np.uint64(1))).any():
        return np.flatnonzero(mask)
    positions = numbers * WORD + (found * _BYTE_OF_ONE >> _TO_LAST).view(np.int64)
    rest = np.flatnonzero(mask[count * WORD :])
    return np.concatenate([positions, rest + count * WORD]) if len(rest) else positions
