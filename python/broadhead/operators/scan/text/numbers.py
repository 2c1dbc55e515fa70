"""Plain decimal numbers in spans of a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.operators.scan.text.characters import LAST, WORD

if TYPE_CHECKING:
    from broadhead.operators.scan.text.characters import Characters
    from broadhead.operators.scan.text.spans import Spans

MOST_DIGITS = 16
ZEROS = np.uint64(0x3030303030303030)
_TO_HIGH_BIT = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_CHARACTER, _ONE, _LAST_ONE = np.uint64(0xFF), np.uint64(8), np.uint64(56)
_BITS = 64
_ALL = np.uint64(2**64 - 1)
_MINUS, _POINT, _ZERO = (np.uint64(ord(character)) for character in "-.0")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Decimal numbers: `low` has the last eight digits, `high` the others; None for none.

    `fractions` digits follow the point, which is one number if it is so for all. `plain` is a mask
    of the spans that are such numbers of at most 16 digits, without superfluous zeros before the
    point, None for all; `negative` of those with a sign, None for no such number. No number has
    more than `digits` digits. `with_points` says that the words have a zero instead of each point.
    """

    low: Any
    high: Any | None
    fractions: Any
    negative: Any | None
    plain: Any | None
    digits: int = MOST_DIGITS
    with_points: bool = False

    def unscaled(self) -> Any:
        """The numbers without their points."""
        low, high = self._digits()
        number = number_of(low)
        if high is not None:
            number = number_of(high) * np.uint64(10**WORD) + number
        number = number.view(np.int64)
        return number if self.negative is None else np.where(self.negative, -number, number)

    def _digits(self) -> tuple[Any, Any | None]:
        """The words without points."""
        low, high = self.low, self.high
        if not self.with_points:
            return low, high
        mask, before = LAST[self.fractions], low << _ONE
        if high is not None:
            before |= high >> _LAST_ONE
            high = high << _ONE
        return (low & mask) | (before & ~mask), high


def numbers_of(spans: Spans) -> Numbers:
    """The spans as decimal numbers."""
    characters, first, ends, heads = spans.characters, spans.starts, spans.ends, spans.heads
    example = characters.text(int(first[0]), int(ends[0])) if len(ends) else b""
    position = example.find(b".")
    fraction = len(example) - 1 - position if position >= 0 else 0
    found = negative = None
    if not example.startswith(b"-"):
        found = _of_one_form(characters, heads, first, ends, fraction)
    if found is None:
        heads = characters.words(first) if heads is None else heads
        negative = (heads & _CHARACTER) == _MINUS
        if negative.any():
            first = first + negative
            found = _of_one_form(characters, None, first, ends, fraction)
        else:
            negative = None
    if found is None:
        return _numbers(characters, first, ends, negative)
    low, high, digits = found
    return Numbers(low, high, fraction, negative, None, digits, with_points=fraction > 0)


def _of_one_form(
    characters: Characters, heads: Any | None, first: Any, ends: Any, fraction: int
) -> tuple[Any, Any | None, int] | None:
    """The words of numbers that all have so many digits after the point; None for others.

    `heads` are their first eight characters, if they have been read. The points are zeros. The last
    value is how many digits the longest one has.
    """
    sizes = ends - first
    least, most = int(sizes.min(initial=MOST_DIGITS)), int(sizes.max(initial=0))
    shortest = fraction + 2 if fraction else 1
    # a point is one of the sixteen characters that are read
    if most > MOST_DIGITS or not 0 <= fraction < WORD or least < shortest:
        return None
    bits, high = sizes << 3, None
    if most > WORD:
        high, low = characters.pairs(ends - MOST_DIGITS)
    elif heads is None:
        low = characters.words(ends - WORD)
    else:
        low = heads << (_BITS - bits).view(np.uint64)
    if most > shortest:
        if heads is not None:
            starts = heads & _CHARACTER
        elif least == most <= WORD:
            starts = low >> np.uint64(_BITS - 8 * most) & _CHARACTER
        else:
            starts = characters.at(first)
        if ((starts == _ZERO) & (sizes > shortest)).any():
            return None
    position = WORD - 1 - fraction if fraction else WORD
    expected, to_high_bit = (
        np.uint64(
            int.from_bytes(bytes(point if n == position else digit for n in range(WORD)), "little")
        )
        for point, digit in ((ord("."), ord("0")), (0x7F, 0x76))
    )
    if least == most or least >= WORD:
        used = LAST[min(least, WORD)]
    else:
        used = _ALL << np.maximum(_BITS - bits, 0).view(np.uint64)
    low = (low ^ expected) & used
    other = (low + to_high_bit) | low
    if high is not None:
        # a word that is moved by more bits than it has is zero
        high = (high ^ ZEROS) & (_ALL << (2 * _BITS - bits).view(np.uint64))
        other |= (high + _TO_HIGH_BIT) | high
    if (other & _HIGH_BITS).any():
        return None
    return low, high, most - bool(fraction)


def _last(counts: Any) -> Any:
    """Masks of so many last characters, at most of a word's."""
    return LAST[np.minimum(counts, WORD)]


def _numbers(characters: Characters, first: Any, ends: Any, negative: Any | None) -> Numbers:
    """Numbers without their signs, which start at `first`."""
    fractions = _fractions(characters, first, ends)
    sizes = ends - first
    counts = sizes - (fractions > 0)
    low, high, plain = _digits(characters, ends, counts, fractions)
    whole = counts - fractions
    plain &= (whole >= 1) & (counts <= MOST_DIGITS)
    plain &= (whole == 1) | (characters.at(first) != _ZERO)
    return Numbers(low, high, fractions, negative, plain)


def _fractions(characters: Characters, first: Any, ends: Any) -> Any:
    """How many digits follow the point of each number; 0 for no point."""
    result = np.zeros(len(ends), np.int64)
    for count in range(1, WORD + 1):
        positions = ends - 1 - count
        result[(characters.at(positions) == _POINT) & (positions > first)] = count
    return result


def _digits(
    characters: Characters, ends: Any, counts: Any, fractions: Any
) -> tuple[Any, Any | None, Any]:
    """The words of the last `counts` digits, low and high, and a mask of digits alone.

    A point before so many digits as `fractions` are is left out.
    """
    counts = np.clip(counts, 0, MOST_DIGITS)
    mask = LAST[fractions]
    word = characters.words(ends - WORD)
    with_point = (word & mask) | (characters.words(ends - WORD - 1) & ~mask)
    word = np.where(fractions > 0, with_point, word)
    low = (word ^ ZEROS) & _last(counts)
    plain = are_digits(low)
    if counts.max(initial=0) <= WORD:
        return low, None, plain
    before = ends - 2 * WORD - (fractions > 0)
    high = (characters.words(before) ^ ZEROS) & LAST[np.maximum(counts - WORD, 0)]
    return low, high, plain & are_digits(high)


def are_digits(word: Any) -> Any:
    """Mask of the words whose bytes are digits alone, each less the character `0`."""
    return ((word + _TO_HIGH_BIT) | word) & _HIGH_BITS == 0


def number_of(word: Any) -> Any:
    """The numbers of eight digits, each a byte, the first one lowest."""
    word = (word * np.uint64(2561) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    word = (word * np.uint64(6553601) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return word * np.uint64(42949672960001) >> np.uint64(32)
