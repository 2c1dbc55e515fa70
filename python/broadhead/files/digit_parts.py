"""The digits of numbers as parts of lines: eight of them are one integer of 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from broadhead.files.line_parts import Numbers, Part, constant, fixed, varying

_DIGITS = 8
_END = 10**_DIGITS
_HALF = 4
_HALF_END = 10**_HALF


def digits(numbers: Numbers, after: bytes, rows: Numbers | None) -> Iterator[Part]:
    """Unsigned numbers without leading zeros, with the bytes that stand after them."""
    if not len(numbers):
        return
    greatest = int(numbers.max())
    parts = [numbers]
    while greatest >= _END:
        greatest //= _END
        head = parts[0] // np.uint64(_END)
        parts[:1] = [head, parts[0] - head * np.uint64(_END)]
    begun: Numbers | None = None
    for number, part in enumerate(parts):
        small = part.astype(np.uint32)
        widths = _widths(small, greatest)
        if begun is not None:
            widths = np.where(begun, np.uint8(_DIGITS), widths)
        characters = _characters(small, greatest) >> _bits(np.uint8(_DIGITS) - widths)
        most = len(str(greatest))
        greatest = _END - 1
        if number < len(parts) - 1:
            begun = small > 0 if begun is None else begun | (small > 0)
            yield varying(characters.view("V8"), widths * begun, rows)
        elif len(after) == 1 and most < _DIGITS:
            characters |= np.uint64(after[0]) << _bits(widths)
            yield varying(characters.view("V8"), widths + np.uint8(1), rows)
        else:
            yield varying(characters.view("V8"), widths, rows)
            yield from constant(after, rows)


def fixed_digits(
    numbers: Numbers, count: int, after: bytes, rows: Numbers | None
) -> Iterator[Part]:
    """Numbers of up to `count` digits, fewer than eight, with leading zeros; then `after`."""
    if not len(numbers):
        return
    characters = _characters(numbers.astype(np.uint32), 10**count - 1)
    characters >>= np.uint64((_DIGITS - count) * 8)
    width = count
    if len(after) == 1:
        characters |= np.uint64(after[0] << (count * 8))
        width, after = count + 1, b""
    yield fixed(characters.view("V8"), width, rows)
    yield from constant(after, rows)


def _bits(count: Numbers) -> Numbers:
    return count.astype(np.uint64) << np.uint64(3)


def _widths(numbers: Numbers, greatest: int) -> Numbers:
    """How many digits the numbers have, of which `greatest` is a bound."""
    widths = np.ones(len(numbers), np.uint8)
    power = 10
    while power <= greatest:
        widths += (numbers >= np.uint32(power)).view(np.uint8)
        power *= 10
    return widths


def _characters(numbers: Numbers, greatest: int) -> Numbers:
    """Eight digits, the first one in the lowest byte; `greatest` is a bound of the numbers."""
    table = _table()
    if greatest < _HALF_END:
        characters: Numbers = table[numbers].astype(np.uint64) << np.uint64(32)
        characters |= table[0]
        return characters
    high = numbers // np.uint32(_HALF_END)
    characters = table[numbers - high * np.uint32(_HALF_END)].astype(np.uint64) << np.uint64(32)
    characters |= table[high]
    return characters


@cache
def _table() -> Numbers:
    """The four digits of each number up to 9999, the first one in the lowest byte."""
    texts = "".join(f"{number:04d}" for number in range(_HALF_END)).encode()
    return np.frombuffer(texts, "<u4")
