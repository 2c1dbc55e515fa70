"""Parts of a block of bytes, one for each line, and the values of their plain texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.operators.scan.text.characters import PADDING, WORD, Characters
from broadhead.operators.scan.text.numbers import ZEROS, are_digits, number_of

_DATE_LENGTH = 10
_DASHES_MASK, _DASHES = np.uint64(0xFF0000FF00000000), np.uint64(0x2D00002D00000000)
_YEAR, _MONTH = np.uint64(0x00000000FFFFFFFF), np.uint64(0x0000FFFF00000000)
_FIRST_YEAR, _LAST_YEAR = 1000, 9999


@dataclass(frozen=True, slots=True)
class Spans:
    """Parts of a block.

    `heads` are eight bytes from each start on, if they have been read.
    """

    characters: Characters
    starts: Any
    ends: Any
    heads: Any | None = None

    def where(self, mask: Any) -> Spans:
        """The parts of the lines where the mask is true."""
        heads = None if self.heads is None else self.heads[mask]
        return Spans(self.characters, self.starts[mask], self.ends[mask], heads)

    def strings(self) -> pa.Array:
        """The texts."""
        if not len(self.starts):
            return pa.array([], pa.string())
        sizes = self.ends - self.starts
        width = int(sizes[0])
        if 0 < width <= WORD and (sizes == width).all():
            words = self.characters.words(self.starts) if self.heads is None else self.heads
            if width == 1:
                content = words.astype(np.uint8).tobytes()
            else:
                content = words.view(np.uint8).reshape(-1, WORD)[:, :width].tobytes()
            offsets = np.arange(0, len(content) + 1, width, dtype=np.int32)
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
            return pa.Array.from_buffers(pa.string(), len(sizes), buffers)
        # between two texts is another, which is left out
        bounds = np.empty(2 * len(sizes), np.int32)
        bounds[::2], bounds[1::2] = self.starts + PADDING, self.ends + PADDING
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(self.characters.padded)]
        substrings = pa.Array.from_buffers(pa.string(), len(bounds) - 1, buffers)
        return substrings.take(pa.array(np.arange(0, len(bounds), 2)))

    def are(self, text: bytes) -> Any:
        """Mask of the spans that are this text."""
        return (self.ends - self.starts == len(text)) & self.characters.have(self.starts, text)

    def dates(self) -> tuple[Any, Any]:
        """Days since 1970 of texts like `2020-02-29` since the year 1000, and a mask of them."""
        head, tail = self.characters.pairs(self.starts)
        plain = self.ends - self.starts == _DATE_LENGTH
        plain &= (head & _DASHES_MASK) == _DASHES
        word = (head & _YEAR) | ((head >> np.uint64(8)) & _MONTH) | (tail << np.uint64(48))
        digits = word ^ ZEROS
        plain &= are_digits(digits)
        number = np.where(plain, number_of(digits), 0).astype(np.int32)
        months = number // 100
        first_days, lengths = _months()
        day = number - months * 100
        plain &= (day >= 1) & (day <= lengths[months])
        return first_days[months] + (day - 1), plain


@cache
def _months() -> tuple[Any, Any]:
    """The first day, since 1970, and the number of days of each month, by `yyyymm`."""
    months = np.arange(f"{_FIRST_YEAR}-01", f"{_LAST_YEAR + 1}-02", dtype="datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int32)
    number = months.astype(np.int64) + 1970 * 12
    indices = number // 12 * 100 + number % 12 + 1
    first, lengths = (np.zeros((_LAST_YEAR + 1) * 100 + 1, np.int32) for _ in range(2))
    first[indices[:-1]], lengths[indices[:-1]] = days[:-1], np.diff(days)
    return first, lengths
