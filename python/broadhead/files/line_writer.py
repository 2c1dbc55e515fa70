"""Files of lines, encoded from Arrow batches: the frame of CSV, JSON and text files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CHUNK_BYTES = 1 << 20
"""Encoded bytes that are sent on at once; the JVM compresses them in the meantime."""

_JOINED_ROWS = 4096
"""Rows that become lines at once, whose texts fit in a core's cache."""


@dataclass(frozen=True)
class LineParts:
    """What the lines of rows consist of: texts of the rows, and the same text for all.

    `separator` stands between the parts, `end` after the last one.
    """

    parts: list[pa.Array | pa.Scalar]
    separator: str = ""
    end: str = ""

    def joined(self) -> Iterator[pa.Array]:
        """The lines, some at a time; the parts have no nulls."""
        rows = max(len(part) for part in self.parts if isinstance(part, pa.Array))
        for start in range(0, rows, _JOINED_ROWS):
            parts = [
                part.slice(start, _JOINED_ROWS) if isinstance(part, pa.Array) else part
                for part in self.parts
            ]
            if self.end:
                parts[-1] = joined([parts[-1], pa.scalar(self.end)])
            yield pc.binary_join_element_wise(*parts, self.separator)


class LineForm(Protocol):
    """How a format writes rows as lines."""

    @property
    def head(self) -> bytes:
        """What a file begins with."""

    def lines(self, columns: list[pa.Array]) -> LineParts:
        """The lines of rows, with their ends. The columns are texts without offsets."""


class LineWriter:
    """One file, whose columns are texts."""

    def __init__(self, form: LineForm) -> None:
        self._form = form
        self._waiting: list[Any] = [form.head]
        self._bytes = len(form.head)

    def write(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        """Add rows; yields encoded bytes of the file that are complete."""
        try:
            yield from self._written([_from_start(column) for column in batch.columns])
        except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
            raise EngineLimit(f"lines of a file: {error}") from error

    def _written(self, columns: list[pa.Array]) -> Iterator[bytes]:
        for column in columns:
            # Java decodes bytes that are not UTF-8 to other characters.
            if not _is_ascii(column):
                column.validate(full=True)
        for lines in self._form.lines(columns).joined():
            content = _content(lines)
            self._waiting.append(content)
            self._bytes += len(content)
            if self._bytes >= CHUNK_BYTES:
                yield self._taken()

    def close(self) -> Iterator[bytes]:
        """The rest of the file."""
        if self._bytes:
            yield self._taken()

    def _taken(self) -> bytes:
        content = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return content


class TextForm:
    """Text files: each string is a line, a null an empty one.

    `options`: `lineSeparator`.
    """

    head = b""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._end = options["lineSeparator"]

    def lines(self, columns: list[pa.Array]) -> LineParts:
        """The strings, with line separators."""
        (texts,) = columns
        return LineParts([texts.fill_null(""), pa.scalar(self._end)])


def joined(parts: Sequence[pa.Array | pa.Scalar]) -> pa.Array:
    """The texts of each row one after the other; null if any is null."""
    return pc.binary_join_element_wise(*parts, "")


def replaced(texts: pa.Array, mask: pa.Array, new: pa.Array) -> pa.Array:
    """The texts, with those of the mask replaced in order."""
    return _from_start(pc.replace_with_mask(texts, mask, new))


def _from_start(column: pa.Array) -> pa.Array:
    """The same values without an offset, since the writers look into buffers."""
    return column if column.offset == 0 else pa.concat_arrays([column, column.slice(0, 0)])


def _is_ascii(column: pa.Array) -> bool:
    data = characters_of(column)
    return not data.size or bool(data.view(np.int8).min() >= 0)


def characters_of(texts: pa.Array) -> np.ndarray[Any, Any]:
    """The bytes of all texts, of nulls too; the texts have no offset."""
    _, offsets, data = texts.buffers()
    if data is None or not len(texts):
        return np.empty(0, np.uint8)
    return np.frombuffer(data, np.uint8, np.frombuffer(offsets, np.int32)[len(texts)])


def _content(lines: pa.Array) -> Any:
    """The lines one after the other, which is how Arrow has them."""
    _, offsets, data = lines.buffers()
    bounds = np.frombuffer(offsets, np.int32, len(lines) + 1, lines.offset * 4)
    return memoryview(data)[bounds[0] : bounds[-1]] if data is not None else b""
