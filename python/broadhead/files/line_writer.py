"""Files of lines, encoded from Arrow batches: the frame of CSV, JSON and text files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK_BYTES = 1 << 20
"""Encoded bytes that are sent on at once; the JVM compresses them in the meantime."""

_ROWS = 4096
"""Rows that are encoded at once, whose columns and lines fit in a core's cache."""


class LineForm(Protocol):
    """How a format writes rows as lines."""

    @property
    def head(self) -> bytes:
        """What a file begins with."""

    def lines(self, columns: list[pa.Array]) -> pa.Array:
        """The lines of rows, with their ends; no nulls."""


class LineWriter:
    """One file, whose columns are texts."""

    def __init__(self, form: LineForm) -> None:
        self._form = form
        self._waiting = [form.head]
        self._bytes = len(form.head)

    def write(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        """Add rows; yields encoded bytes of the file that are complete."""
        for column in batch.columns:
            _check_text(column)
        for start in range(0, batch.num_rows, _ROWS):
            rows = batch.slice(start, _ROWS)
            content = _content(self._form.lines([_from_start(column) for column in rows.columns]))
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

    def lines(self, columns: list[pa.Array]) -> pa.Array:
        """The strings, with line separators."""
        (texts,) = columns
        return joined([texts.fill_null(""), pa.scalar(self._end)])


def joined(parts: list[Any], separator: str = "") -> pa.Array:
    """The texts of each row one after the other; there are no nulls."""
    return pc.binary_join_element_wise(*parts, separator)


def replaced(texts: pa.Array, mask: pa.Array, new: pa.Array) -> pa.Array:
    """The texts, with those of the mask replaced in order."""
    return _from_start(pc.replace_with_mask(texts, mask, new))


def _check_text(column: pa.Array) -> None:
    """Raises `EngineLimit` for bytes that Java decodes to other characters."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"a string is not UTF-8: {error}") from error


def _from_start(column: pa.Array) -> pa.Array:
    """The same values without an offset, since the writers look into buffers."""
    if column.offset == 0:
        return column
    return pa.concat_arrays([column, column.slice(0, 0)])


def _content(lines: pa.Array) -> bytes:
    """The lines one after the other, which is how Arrow has them."""
    offsets = lines.buffers()[1]
    data = lines.buffers()[2]
    if data is None or not len(lines):
        return b""
    ends = pa.Array.from_buffers(pa.int32(), len(lines) + 1 + lines.offset, [None, offsets])
    first, last = ends[lines.offset].as_py(), ends[-1].as_py()
    return bytes(data.slice(first, last - first))
