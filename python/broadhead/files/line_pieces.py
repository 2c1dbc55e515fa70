"""The bytes of lines, written a column at a time.

Each text is copied with a fixed number of bytes, which numpy does fast for whole columns. What is
beyond the text's own bytes is overwritten by the pieces that follow, so their order matters.
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
class Piece:
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

    def add_widths(self, places: Numbers) -> None:
        """Adds the width of each row's text to the row's place."""
        if self.rows is None:
            places += self.widths
        else:
            places[self.rows] += self.widths

    def write(self, target: Numbers, places: Numbers, *, exact: bool) -> None:
        """Writes the texts at their rows' places, `exact` without bytes after them."""
        here = places if self.rows is None else places[self.rows]
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

    def add_widths(self, places: Numbers) -> None:
        """Adds the width of each row's text to the row's place."""
        places[self.rows] += self.widths

    def write(self, target: Numbers, places: Numbers, *, exact: bool) -> None:
        """Writes the texts at their rows' places."""
        del exact
        for place, begin, width in zip(places[self.rows], self.begins, self.widths, strict=True):
            target[place : place + width] = self.source[begin : begin + width]


Part = Piece | Slices


def varying(items: Numbers, widths: Numbers, rows: Numbers | None = None) -> Piece:
    """A piece whose texts may have different widths."""
    least = int(widths.min()) if len(widths) else 0
    if least == 0 or least < int(widths.max()):
        return Piece(items, widths, least, rows)
    return fixed(items, least, rows)


def fixed(items: Numbers, width: int, rows: Numbers | None = None) -> Piece:
    """A piece whose texts have the same width."""
    narrow: Numbers = np.ndarray((len(items),), f"V{width}", items, 0, items.strides)
    return Piece(narrow, width, width, rows)


def constant(text: bytes, rows: Numbers | None = None) -> Sequence[Piece]:
    """The same text for all rows, or some."""
    whole = _constant(text)
    if rows is None:
        return whole
    return [Piece(piece.items, piece.widths, piece.least, rows) for piece in whole]


@lru_cache(1024)
def _constant(text: bytes) -> Sequence[Piece]:
    parts = [text[at : at + LARGEST_ITEM] for at in range(0, len(text), LARGEST_ITEM)]
    return [Piece(np.frombuffer(part, f"V{len(part)}"), len(part), len(part)) for part in parts]


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


def items_at(source: Numbers, places: Numbers, size: int) -> Numbers:
    """The `size` bytes from each place of the source on, which has them all."""
    return _overlapping(source, size)[places]


def assembled(pieces: Sequence[Part], count: int) -> Numbers:
    """The bytes of `count` lines, each of which has its pieces one after the other."""
    starts = np.zeros(count, np.int64)
    starts += _skipped(pieces, starts)
    ends = np.cumsum(starts)
    np.subtract(ends, starts, out=starts)
    total = int(ends[-1]) if count else 0
    target = np.empty(total + LARGEST_ITEM, np.uint8)
    first, exact = _order(pieces)
    places = starts.copy()
    skipped = _skipped(pieces[:first], places)
    # What a line's last pieces overwrite of the next line is written after that.
    _write(pieces[first:], exact[first:], places, target[skipped:])
    _write(pieces[:first], exact[:first], starts, target)
    return target[:total]


def _skipped(pieces: Sequence[Part], places: Numbers) -> int:
    """Moves places behind the pieces, but for the widths that all rows have, which it gives."""
    same = 0
    for piece in pieces:
        if piece.rows is None and isinstance(piece.widths, int):
            same += piece.widths
        else:
            piece.add_widths(places)
    return same


def _write(pieces: Sequence[Part], exact: Sequence[bool], places: Numbers, target: Numbers) -> None:
    """Writes pieces one after the other, the first ones at the places, which it moves."""
    for piece, is_exact in zip(pieces, exact, strict=True):
        piece.write(target, places, exact=is_exact)
        target = target[_skipped([piece], places) :]


def _order(pieces: Sequence[Part]) -> tuple[int, Sequence[bool]]:
    """The piece to begin with, and which pieces must be written without bytes beyond their texts.

    A piece may overwrite what follows it, up to the next place of the piece that was the first one;
    and the first one may overwrite anything, since the rows are written in order.
    """
    surplus = np.array([piece.surplus for piece in pieces])
    certain = np.array([piece.least if piece.rows is None else 0 for piece in pieces])
    ends = np.cumsum(certain)
    numbers = np.arange(len(pieces))
    # for each piece to begin with: the bytes after each piece up to that one's next place
    follows = numbers[None, :] >= numbers[:, None]
    bounds = (ends - certain)[:, None] + np.where(follows, ends[-1], 0)
    exact = surplus[None, :] > bounds - ends[None, :]
    exact[numbers, numbers] = False
    first = int(exact.sum(axis=1).argmin())
    return first, exact[first].tolist()


def _write_exactly(target: Numbers, places: Numbers, items: Numbers, widths: Numbers) -> None:
    """Writes texts in parts whose sizes are powers of two."""
    size = items.dtype.itemsize
    source = np.concatenate([items.view(np.uint8), np.zeros(size, np.uint8)])
    done = np.zeros(len(places), np.int64)
    part = LARGEST_ITEM
    while part:
        rows = np.flatnonzero(np.bitwise_and(widths, part))
        if len(rows):
            offsets = done[rows]
            texts = _overlapping(source, part)[rows * size + offsets]
            _overlapping(target, part)[places[rows] + offsets] = texts
            done[rows] += part
        part >>= 1


def _overlapping(data: Numbers, size: int) -> Numbers:
    """The `size` bytes at each place of the data."""
    return np.ndarray((max(len(data) - size + 1, 0),), f"V{size}", data, 0, (1,))
