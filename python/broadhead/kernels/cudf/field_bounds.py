"""Where the fields of plain lines start and end, found on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np

from broadhead.kernels.cudf.field_launch import launch
from broadhead.kernels.cudf.field_source import (
    CHUNK_BYTES,
    EMPTY,
    ESCAPE,
    HIGH,
    QUOTE,
    RETURN,
    WRONG,
    ZERO,
)

if TYPE_CHECKING:
    from broadhead.kernels.interface.fields import FieldLayout

_LF, _CR, _SPACE, _BYTE_ORDER_MARK = 0x0A, 0x0D, 0x20, 0xEF


@dataclass(frozen=True, slots=True)
class FieldBounds:
    """Where the fields of all lines start and end.

    Attributes
    ----------
    rows
        Number of the lines.
    ends
        Positions after the fields, by line and field, int32.
    line_ends
        Positions after the contents of the lines.
    quote
        The quotes around fields; None for no quotes.
    """

    rows: int
    ends: Any
    line_ends: Any
    quote: int | None
    characters: Any

    def of(self, position: int) -> tuple[Any, Any]:
        """The starts and ends of the fields at a position, within their quotes."""
        starts = self.ends[:, position - 1] + 1 if position else _starts(self.ends[:, -1])
        last = position == self.ends.shape[1] - 1
        ends = cupy.ascontiguousarray(self.line_ends if last else self.ends[:, position])
        if self.quote is not None:
            quoted = (self.characters[starts] == self.quote) & (ends > starts)
            starts, ends = starts + quoted, ends - quoted
        return starts, ends


def field_bounds(characters: Any, block: memoryview, layout: FieldLayout) -> FieldBounds | None:
    """The bounds of the fields; None if a line is not plain."""
    divided = _stops(characters, block, layout)
    if divided is None:
        return None
    stops, rows, found = divided
    ends = stops.reshape(rows, layout.fields)
    lasts = cupy.ascontiguousarray(ends[:, -1])
    line_ends = _line_ends(characters, lasts, layout) if found & RETURN else lasts
    if line_ends is None or not _are_rows(characters, lasts, line_ends, layout):
        return None
    quote = layout.quote if found & QUOTE else None
    return FieldBounds(rows, ends, line_ends, quote, characters)


def _stops(characters: Any, block: memoryview, layout: FieldLayout) -> tuple[Any, int, int] | None:
    """Positions of the separators and LF outside of quotes, the number of lines, and what is found.

    None if the lines have not as many fields as the layout, or are not plain.
    """
    chunks = -(-len(block) // CHUNK_BYTES)
    marks = [-1 if mark is None else mark for mark in (layout.quote, layout.escape)]
    common = (characters, *map(np.int64, (len(block), chunks, layout.separator, *marks)))
    every = cupy.zeros(1, np.int32)
    stops, feeds, quotes = (cupy.empty(chunks, np.int32) for _ in range(3))
    launch("survey_chunks", chunks, *common, every, stops, feeds, quotes)
    counts = [every[0], *(n.sum(dtype=np.int32) for n in (stops, feeds, quotes))]
    found, count, rows, in_quotes = cupy.asnumpy(cupy.stack(counts)).tolist()
    if found & ZERO or (found & HIGH and not _is_utf8(block)) or in_quotes % 2 or not rows:
        return None
    before = cupy.cumsum(quotes, dtype=np.int32) - quotes
    if found & QUOTE:
        if found & ESCAPE and layout.escape != layout.quote:
            return None
        launch("count_stops", chunks, *common, every, before, stops)
        counts = [every[0], stops.sum(dtype=np.int32)]
        found, count = cupy.asnumpy(cupy.stack(counts)).tolist()
    if found & WRONG or (found & EMPTY and not layout.empty_is_null):
        return None
    if count != rows * layout.fields:
        return None
    positions = cupy.empty(count, np.int32)
    after = cupy.cumsum(stops, dtype=np.int32)
    launch("write_stops", chunks, *common, before, after, stops, positions)
    return positions, rows, found


def _is_utf8(block: memoryview) -> bool:
    try:
        str(block, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _starts(lasts: Any) -> Any:
    """Where the lines start, by the positions of their LF."""
    starts = cupy.zeros(len(lasts), np.int32)
    starts[1:] = lasts[:-1] + 1
    return starts


def _line_ends(characters: Any, lasts: Any, layout: FieldLayout) -> Any | None:
    """Where the contents of the lines end; None if a CR is no part of a line's end."""
    before = characters[cupy.maximum(lasts - 1, 0)] == _CR
    returns = int(cupy.count_nonzero(characters == _CR))
    if not layout.any_line_end or returns != len(lasts) or not bool(before.all()):
        return None
    return lasts - 1


def _are_rows(characters: Any, lasts: Any, line_ends: Any, layout: FieldLayout) -> bool:
    """Whether Spark's parser sees all lines, as neither blank nor comments, and no long ones.

    Also whether each line has all of its fields: then every last stop is a LF.
    """
    starts = _starts(lasts)
    first = characters[starts]
    wrong = (characters[lasts] != _LF) | (first == _BYTE_ORDER_MARK)
    if layout.fields == 1 or layout.separator <= _SPACE:
        wrong |= first <= _SPACE
    if layout.comment is not None:
        wrong |= first == layout.comment
    if layout.most_characters >= 0:
        wrong |= line_ends - starts >= layout.most_characters
    return not bool(wrong.any())
