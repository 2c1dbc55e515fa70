"""The bytes of lines, written a column at a time.

Each text is copied with a fixed number of bytes, which numpy does fast for whole columns. What is
beyond the text's own bytes is overwritten by the parts that follow, so their order matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Numbers = np.ndarray[Any, Any]

LARGEST_ITEM = 64
"""Most bytes of an item."""


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A text for each row, or for `rows` of them alone.

    `items` are as many values of a fixed size, or one for all; each begins with its text, of which
    `widths` are the bytes. A number instead is the width of all, and the size of an item. `least`
    is the fewest bytes of a text.
    """

    items: Numbers
    widths: Numbers | int
    least: int
    rows: Numbers | None = None

    @property
    def surplus(self) -> int:
        """The most bytes that are written after a text."""
        return int(self.items.dtype.itemsize) - self.least

    def add_widths(self, offsets: Numbers) -> None:
        """Adds the width of each row's text to the row's offset."""
        if self.rows is None:
            offsets += self.widths
        else:
            offsets[self.rows] += self.widths

    def write(self, target: Numbers, offsets: Numbers, *, exact: bool) -> None:
        """Writes the texts at their rows' offsets, `exact` without bytes after them."""
        here = offsets if self.rows is None else offsets[self.rows]
        if exact and not isinstance(self.widths, int):
            _write_exactly(target, here, self.items, self.widths)
        else:
            items = self.items if len(self.items) > 1 else self.items[0]
            _overlapping(target, self.items.dtype.itemsize)[here] = items


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Long texts in `rows`, each copied alone."""

    source: Numbers
    begins: Numbers
    widths: Numbers
    rows: Numbers

    least = 0
    surplus = 0

    def add_widths(self, offsets: Numbers) -> None:
        """Adds the width of each row's text to the row's offset."""
        offsets[self.rows] += self.widths

    def write(self, target: Numbers, offsets: Numbers, *, exact: bool) -> None:
        """Writes the texts at their rows' offsets."""
        del exact
        for offset, begin, width in zip(offsets[self.rows], self.begins, self.widths, strict=True):
            target[offset : offset + width] = self.source[begin : begin + width]


Part = Items | Slices


def varying(items: Numbers, widths: Numbers, rows: Numbers | None = None) -> Items:
    """A part whose texts may have different widths."""
    least = int(widths.min()) if len(widths) else 0
    if least == 0 or least < int(widths.max()):
        return Items(items, widths, least, rows)
    return fixed(items, least, rows)


def fixed(items: Numbers, width: int, rows: Numbers | None = None) -> Items:
    """A part whose texts have the same width."""
    narrow: Numbers = np.ndarray((len(items),), f"V{width}", items, 0, items.strides)
    return Items(narrow, width, width, rows)


def constant(text: bytes, rows: Numbers | None = None) -> Sequence[Items]:
    """The same text for all rows, or some."""
    whole = _constant(text)
    if rows is None:
        return whole
    return [Items(part.items, part.widths, part.least, rows) for part in whole]


@lru_cache(1024)
def _constant(text: bytes) -> Sequence[Items]:
    parts = [text[at : at + LARGEST_ITEM] for at in range(0, len(text), LARGEST_ITEM)]
    return [Items(np.frombuffer(part, f"V{len(part)}"), len(part), len(part)) for part in parts]


def merged(parts: Iterable[Part]) -> list[Part]:
    """The parts, where texts that are the same in all rows are joined to longer ones."""
    result: list[Part] = []
    waiting: list[bytes] = []
    for part in parts:
        if isinstance(part.widths, int) and part.rows is None and len(part.items) == 1:
            waiting.append(part.items.tobytes())
            continue
        if waiting:
            result += constant(b"".join(waiting))
            waiting.clear()
        result.append(part)
    return [*result, *constant(b"".join(waiting))]


def items_at(source: Numbers, offsets: Numbers, size: int) -> Numbers:
    """The `size` bytes from each offset in the source on, which has them all."""
    return _overlapping(source, size)[offsets]


def assembled(parts: Sequence[Part], count: int) -> Numbers:
    """The bytes of `count` lines, each of which has its parts one after the other."""
    starts = np.zeros(count, np.int64)
    starts += _skipped(parts, starts)
    ends = np.cumsum(starts)
    np.subtract(ends, starts, out=starts)
    total = int(ends[-1]) if count else 0
    target = np.empty(total + LARGEST_ITEM, np.uint8)
    first, exact = _order(parts)
    offsets = starts.copy()
    skipped = _skipped(parts[:first], offsets)
    # What a line's last parts overwrite of the next line is written after that.
    _write(parts[first:], exact[first:], offsets, target[skipped:])
    _write(parts[:first], exact[:first], starts, target)
    return target[:total]


def _skipped(parts: Sequence[Part], offsets: Numbers) -> int:
    """Moves offsets behind the parts, but for the widths that all rows have, which it gives."""
    same = 0
    for part in parts:
        if part.rows is None and isinstance(part.widths, int):
            same += part.widths
        else:
            part.add_widths(offsets)
    return same


def _write(parts: Sequence[Part], exact: Sequence[bool], offsets: Numbers, target: Numbers) -> None:
    """Writes parts one after the other, the first ones at the offsets, which it moves."""
    for part, is_exact in zip(parts, exact, strict=True):
        part.write(target, offsets, exact=is_exact)
        target = target[_skipped([part], offsets) :]


def _order(parts: Sequence[Part]) -> tuple[int, Sequence[bool]]:
    """The part to begin with, and which parts must be written without bytes beyond their texts.

    A part may overwrite what follows it, up to the next offset of the part that was the first one;
    and the first one may overwrite anything, since the rows are written in order.
    """
    surplus = np.array([part.surplus for part in parts])
    certain = np.array([part.least if part.rows is None else 0 for part in parts])
    ends = np.cumsum(certain)
    numbers = np.arange(len(parts))
    # for each part to begin with: the bytes after each part up to that one's next offset
    follows = numbers[None, :] >= numbers[:, None]
    bounds = (ends - certain)[:, None] + np.where(follows, ends[-1], 0)
    exact = surplus[None, :] > bounds - ends[None, :]
    exact[numbers, numbers] = False
    first = int(exact.sum(axis=1).argmin())
    return first, exact[first].tolist()


def _write_exactly(target: Numbers, starts: Numbers, items: Numbers, widths: Numbers) -> None:
    """Writes each text by copies whose sizes are powers of two."""
    size = items.dtype.itemsize
    source = np.concatenate([items.view(np.uint8), np.zeros(size, np.uint8)])
    done = np.zeros(len(starts), np.int64)
    part = LARGEST_ITEM
    while part:
        rows = np.flatnonzero(np.bitwise_and(widths, part))
        if len(rows):
            offsets = done[rows]
            texts = _overlapping(source, part)[rows * size + offsets]
            _overlapping(target, part)[starts[rows] + offsets] = texts
            done[rows] += part
        part >>= 1


def _overlapping(data: Numbers, size: int) -> Numbers:
    """The `size` bytes at each offset in the data."""
    return np.ndarray((max(len(data) - size + 1, 0),), f"V{size}", data, 0, (1,))
