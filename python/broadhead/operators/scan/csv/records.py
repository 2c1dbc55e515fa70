"""Records of CSV files whose quoted fields may have ends of lines, which is `multiLine`.

Where a record ends depends on all quotes before it. So only files whose quotes stand around whole
fields are read; Spark reads all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.errors import EngineLimit
from broadhead.files.line_blocks import BYTE_ORDER_MARK
from broadhead.operators.scan.csv.line_kinds import rows_of, wrongly_quoted
from broadhead.operators.scan.text.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broadhead.operators.scan.csv.csv_options import CsvOptions

_LF, _CR = 0x0A, 0x0D
_MOST_RECORD_BYTES = 32 << 20
_LONGEST_FIRST_LINE = 1 << 16
"""Spark's parser looks for the first end of a line in its first buffer."""


def records(blocks: Iterable[bytes], options: CsvOptions) -> Iterator[Lines]:
    """The records of a file's blocks, which end with LF, but for the last one.

    Raises `EngineLimit` where Spark's parser may find other records.
    """
    rest = b""
    pairs = None
    for found in blocks:
        block = found
        if pairs is None:
            pairs = _ends_with_both(block)
            if pairs and any(column.position is None for column in options.columns.all):
                raise EngineLimit("malformed records of a CSV file have carriage returns")
        if pairs:
            # inside of quotes too
            block = block.replace(b"\r\n", b"\n")
        if b"\r" in block or b"\0" in block:
            raise EngineLimit("a CSV file has carriage returns or characters 0")
        data = rest + block if rest else block
        following = _following(data, options)
        cut = int(following[-1]) if len(following) else 0
        if cut:
            yield _checked(data[:cut], following, options)
        rest = data[cut:]
        if len(rest) > _MOST_RECORD_BYTES:
            raise EngineLimit("a record of a CSV file is very long")
    if rest:
        if options.quote is not None and rest.count(options.quote.encode()) % 2:
            raise EngineLimit("a quote of a CSV file is never closed")
        yield _checked(rest, np.array([len(rest)]), options)


def _ends_with_both(block: bytes) -> bool:
    """Whether CR and LF end the first line: Spark's parser then makes LF of both everywhere."""
    first = block.find(b"\n")
    both = first > 0 and block[first - 1] == _CR
    if both and first > _LONGEST_FIRST_LINE:
        raise EngineLimit("the first line of a CSV file is very long")
    return both


def _following(data: bytes, options: CsvOptions) -> Any:
    """Positions after the ends of lines that are not inside quotes."""
    characters = np.frombuffer(data, np.uint8)
    feeds = np.flatnonzero(characters == _LF)
    if options.quote is not None and options.quote.encode() in data:
        quotes = np.flatnonzero(characters == ord(options.quote))
        feeds = feeds[np.searchsorted(quotes, feeds) % 2 == 0]
    return feeds + 1


def _checked(block: bytes, following: Any, options: CsvOptions) -> Lines:
    """The records, whose quotes are around whole fields and of which none is blank."""
    characters = np.frombuffer(block, np.uint8)
    ends = following - (characters[following - 1] == _LF)
    lines = Lines(block, characters, np.append(0, following[:-1]), ends)
    if _starts_with_mark(lines):
        raise EngineLimit("a record of a CSV file starts with a byte order mark")
    odd = wrongly_quoted(lines, options)
    if odd is not None and odd.any():
        raise EngineLimit("a CSV file has quotes that are not around whole fields")
    if not np.array_equal(rows_of(lines, options), lines.ends > lines.starts):
        raise EngineLimit("a CSV file has records of white space")
    return lines


def _starts_with_mark(lines: Lines) -> bool:
    """Whether a record starts with a byte order mark."""
    first = lines.characters[np.minimum(lines.starts, len(lines.block) - 1)]
    positions = lines.starts[first == BYTE_ORDER_MARK[0]].tolist()
    return any(lines.block.startswith(BYTE_ORDER_MARK, position) for position in positions)
