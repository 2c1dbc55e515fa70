"""Files of lines, encoded from Arrow batches: the frame of CSV, JSON and text files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.files.line_cells import TextCells
from broadhead.files.line_parts import assembled, constant, merged
from broadhead.files.line_texts import Around

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from broadhead.files.line_cells import Cells
    from broadhead.files.line_parts import Part

CHUNK_BYTES = 512 << 10
"""At most so many encoded bytes are sent on at once: larger arrays cost the JVM more."""

_MOST_BYTES, _FEWEST_ROWS, _MOST_ROWS = 16 << 20, 64, 32768
_BYTES_AROUND = 16
"""More bytes of a line than of its values, for each column, in the estimate of a line's size."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What lines consist of: the texts of columns, and texts that are the same in all lines."""

    parts: Sequence[Cells | bytes]
    count: int

    def assembled(self, rows: int) -> Iterator[Any]:
        """The bytes of so many lines at a time."""
        for start in range(0, self.count, rows):
            stop = min(start + rows, self.count)
            yield assembled(merged(self._parts(start, stop)), stop - start)

    def _parts(self, start: int, stop: int) -> Iterator[Part]:
        for part in self.parts:
            yield from constant(part) if isinstance(part, bytes) else part.parts(start, stop)


class LineForm(Protocol):
    """How a format writes rows as lines."""

    @property
    def head(self) -> bytes:
        """What a file begins with."""

    def lines(self, columns: list[pa.Array]) -> Lines:
        """The lines of rows, with their ends."""


class LineWriter:
    """One file. Its columns are texts, or of the types of `numbers_of`."""

    def __init__(self, form: LineForm) -> None:
        self._form = form
        self._head = form.head

    def write(self, batch: pa.RecordBatch) -> Iterator[Any]:
        """Add rows; yields encoded bytes of the file."""
        yield from self.close()
        try:
            for column in batch.columns:
                # Java decodes bytes that are not UTF-8 to other characters.
                if pa.types.is_string(column.type) and not _is_ascii(column):
                    column.validate(full=True)
            lines = self._form.lines(batch.columns)
        except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
            raise EngineLimit(f"lines of a file: {error}") from error
        for content in lines.assembled(_rows_at_once(batch)):
            for start in range(0, len(content), CHUNK_BYTES):
                yield content[start : start + CHUNK_BYTES]

    def close(self) -> Iterator[bytes | memoryview]:
        """The rest of the file: its head, if it has no rows."""
        if self._head:
            yield self._head
            self._head = b""


def _rows_at_once(batch: pa.RecordBatch) -> int:
    line: int = batch.nbytes // max(batch.num_rows, 1) + _BYTES_AROUND * batch.num_columns
    return min(max(_MOST_BYTES // line, _FEWEST_ROWS), _MOST_ROWS)


class TextForm:
    """Text files: each string is a line, a null an empty one.

    `options`: `lineSeparator`.
    """

    head = b""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._end = options["lineSeparator"].encode()

    def lines(self, columns: list[pa.Array]) -> Lines:
        """The strings, with line separators."""
        (texts,) = columns
        return Lines([TextCells(texts, Around(b"", self._end, self._end))], len(texts))


def _is_ascii(column: pa.Array) -> bool:
    _, offsets, data = column.buffers()
    if data is None or not len(column):
        return True
    bounds = np.frombuffer(offsets, np.int32, len(column) + 1, column.offset * 4)
    characters = np.frombuffer(data, np.int8)[bounds[0] : bounds[-1]]
    return not characters.size or bool(characters.min() >= 0)
