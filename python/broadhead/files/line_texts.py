"""Texts that stand in lines, as offsets in the bytes of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from broadhead.files.line_parts import (
    LARGEST_ITEM,
    Numbers,
    Part,
    Slices,
    constant,
    items_at,
    varying,
)

if TYPE_CHECKING:
    import pyarrow as pa

_LONG = 1024
"""Texts of more bytes are copied one at a time."""

_BYTES_AFTER = bytes(LARGEST_ITEM)
_SPACE = ord(" ")


@dataclass(frozen=True, slots=True)
class Around:
    """Bytes of each line: before and after a value, and instead of all this for a null."""

    before: bytes
    after: bytes
    absent: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Texts in `content`, which has more bytes after them, in quotes where `quoted` says so."""

    content: bytes
    begins: Numbers
    lengths: Numbers
    valid: Numbers | None
    around: Around
    quote: bytes = b""
    quoted: Numbers | None = None

    @classmethod
    def of(cls, values: pa.Array, around: Around) -> Texts:
        """Strings or bytes."""
        _, offsets, data = values.buffers()
        count = len(values)
        bounds = np.frombuffer(offsets, np.int32, count + 1, values.offset * 4) if count else _NONE
        first, last = int(bounds[0]), int(bounds[-1])
        texts = memoryview(data)[first:last] if last > first else b""
        content = b"".join((texts, _BYTES_AFTER))
        begins = np.subtract(bounds[:-1], first, dtype=np.int64)
        return cls(content, begins, np.diff(bounds), valid_of(values), around)

    @property
    def data(self) -> Numbers:
        """The content as numbers."""
        return np.frombuffer(self.content, np.uint8)

    def replaced(self, rows: Numbers, texts: pa.Array) -> Texts:
        """With other texts in some rows."""
        new = Texts.of(texts, self.around)
        begins, lengths = self.begins.copy(), self.lengths.copy()
        begins[rows], lengths[rows] = new.begins + len(self.content), new.lengths
        return replace(self, content=self.content + new.content, begins=begins, lengths=lengths)

    def trimmed(self, rows: Numbers, *, end: bool) -> Texts:
        """Some rows without characters up to the space at the start, and at the `end` if asked."""
        data = self.data
        begins, lengths = self.begins.copy(), self.lengths.copy()
        active = rows
        while len(active):
            active = active[(lengths[active] > 0) & (data[begins[active]] <= _SPACE)]
            begins[active] += 1
            lengths[active] -= 1
        active = rows if end else rows[:0]
        while len(active):
            last = data[begins[active] + lengths[active] - 1]
            active = active[(lengths[active] > 0) & (last <= _SPACE)]
            lengths[active] -= 1
        return replace(self, begins=begins, lengths=lengths)

    def parts(self) -> Iterator[Part]:
        """The texts, with quotes and what is around them."""
        rows, absent = rows_of(self.valid)
        quotes: list[Part] = []
        if self.quoted is not None:
            quotes = list(constant(self.quote, np.flatnonzero(self.quoted)))
        yield from constant(self.around.before, rows)
        yield from quotes
        yield from self._texts(rows)
        yield from quotes
        yield from constant(self.around.after, rows)
        if len(absent):
            yield from constant(self.around.absent, absent)

    def _texts(self, rows: Numbers | None) -> Iterator[Part]:
        data, begins, lengths = self.data, self.begins, self.lengths
        if rows is not None:
            begins, lengths = begins[rows], lengths[rows]
        longest = int(lengths.max()) if len(lengths) else 0
        if longest > _LONG:
            chosen = np.flatnonzero(lengths > _LONG)
            long_rows = chosen if rows is None else rows[chosen]
            yield Slices(data, begins[chosen], lengths[chosen], long_rows)
            lengths = np.where(lengths > _LONG, 0, lengths)
            longest = int(lengths.max())
        while longest > 0:
            size = min(longest, LARGEST_ITEM)
            items = items_at(data, begins, size)
            yield varying(items, np.minimum(lengths, size).astype(np.uint8), rows)
            longest -= size
            if longest > 0:
                more = np.flatnonzero(lengths > size)
                begins, lengths = begins[more] + size, lengths[more] - size
                rows = more if rows is None else rows[more]


_NONE = np.zeros(1, np.int32)


def valid_of(values: pa.Array) -> Numbers | None:
    """Which values are not null; None if all are."""
    if not values.null_count:
        return None
    return np.asarray(values.is_valid().to_numpy(zero_copy_only=False), bool)


def rows_of(valid: Numbers | None) -> tuple[Numbers | None, Numbers]:
    """The rows with a value, None if all have one; and the other rows."""
    if valid is None:
        return None, _NO_ROWS
    return np.flatnonzero(valid), np.flatnonzero(~valid)


_NO_ROWS = np.zeros(0, np.int64)
