"""Rows of files of JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.errors import EngineLimit
from broadhead.files.line_blocks import line_blocks
from broadhead.operators.scan.json.json_values import stored_type, value
from broadhead.operators.scan.json.line_kinds import having_words, may_all_be_read, odd_lines
from broadhead.operators.scan.json.objects import read_objects
from broadhead.operators.scan.json.root_objects import root_objects
from broadhead.operators.scan.json.uniform_lines import Uniform
from broadhead.operators.scan.json.uniform_values import uniform_values
from broadhead.operators.scan.read_rows import ReadRows, rows_of_blocks
from broadhead.operators.scan.text.characters import PADDING
from broadhead.operators.scan.text.line_columns import LineColumns, TimeFormats
from broadhead.operators.scan.text.line_rows import LineRows
from broadhead.operators.scan.text.lines import Lines, block_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split
    from broadhead.plan.nodes import FileScan

_MOST_FILE_BYTES = 256 << 20


def read_json(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the scan's splits.

    Raises OSError for a file that cannot be read, and `EngineLimit` for one that is compressed by
    an unknown codec or damaged, for a line for which Spark's parser raises, and for a file of one
    value that is not plain.
    """
    reader = _JsonReader(node, run)
    for split in run.sources.splits(node.id):
        yield from rows_of_blocks(reader.read(split), split, run)


class _JsonReader:
    """Reads the blocks of a scan's splits."""

    def __init__(self, node: FileScan, run: Run) -> None:
        self._node = node
        self._run = run
        self._any_line_end = bool(node.options["anyLineEnd"])
        self._multi_line = bool(node.options["multiLine"])
        self._block_bytes = block_bytes(run.kernels.device.name)
        self._formats = TimeFormats.of(node.options)
        self._varying: set[bytes] = set()
        columns = LineColumns.of(node.options)
        self._rows = LineRows(
            node,
            run,
            columns,
            values_are_independent=bool(node.options["valuesAreIndependent"]),
        )
        self._columns = [columns.all[number] for number in self._rows.in_lines]
        self._fields = [(column.name, stored_type(column.type)) for column in self._columns]

    def read(self, split: Split) -> Iterator[tuple[dict[int, Array], int]]:
        """Data by ordinal, and number of rows, of each block."""
        if self._multi_line:
            # what comes last in a file may decide about all of its rows
            yield from list(self._read_whole(split))
            return
        for block in self._blocks(split, PADDING):
            lines = Lines.of_no_controls(block, margin=PADDING)
            if lines is None:
                lines = Lines.of(block, any_line_end=self._any_line_end, margin=PADDING)
            yield self._read_lines(lines)

    def _blocks(self, split: Split, margin: int) -> Iterator[bytes]:
        blocks = line_blocks(
            split.file,
            split.start,
            split.length,
            any_line_end=self._any_line_end,
            block_bytes=self._block_bytes,
            margin=margin,
        )
        for block in blocks:
            self._run.metrics.add(self._node.id, "bytesRead", len(block) - 2 * margin)
            yield block

    def _read_whole(self, split: Split) -> Iterator[tuple[dict[int, Array], int]]:
        """The rows of a file that is one JSON value; raises `EngineLimit` if Spark must read it."""
        parts, size = [], 0
        for block in self._blocks(split, 0):
            parts.append(block)
            size += len(block)
            if size > _MOST_FILE_BYTES:
                raise EngineLimit("a file of JSON with multiLine has more than 256 MiB")
        for lines in root_objects(b"".join(parts), self._block_bytes):
            plain, columns = self._plain_lines(lines)
            if not plain.all():
                raise EngineLimit("a file of JSON with multiLine has values that are not plain")
            yield self._rows.joined(lines, plain, ~plain, columns)

    def _read_lines(self, lines: Lines) -> tuple[dict[int, Array], int]:
        plain, columns = self._plain_lines(lines)
        return self._rows.joined(lines, plain, ~plain, columns)

    def _plain_lines(self, lines: Lines) -> tuple[Any, list[Array]]:
        """Mask of the lines whose values are known, and the wanted columns of these."""
        uniform = None
        if may_all_be_read(lines):
            # lines of one form start and end like objects
            uniform = self._uniform(lines, np.ones(len(lines), bool))
            if uniform is not None and uniform[0].all():
                return uniform
        rest = ~odd_lines(lines)
        if uniform is None and rest.any():
            uniform = self._uniform(lines, rest)
        parts: list[tuple[Any, list[Array]]] = []
        if uniform is not None:
            parts.append(uniform)
            rest = rest & ~uniform[0]
        if rest.any():
            rest = rest & ~having_words(lines)
        if rest.any():
            parts.append(self._objects(lines, rest))
        return self._rows.merged(parts, len(lines))

    def _uniform(self, lines: Lines, mask: Any) -> tuple[Any, list[Array]] | None:
        """The lines of the mask that have one form, and their columns; None if few have it."""
        uniform = Uniform.of(lines.where(mask), self._varying)
        if uniform is None:
            return None
        values, unparsed = uniform_values(uniform, self._columns, self._formats, self._run)
        return self._rows.known(_among(mask, uniform.fits), values, unparsed)

    def _objects(self, lines: Lines, mask: Any) -> tuple[Any, list[Array]]:
        """The lines of the mask that are plain objects, and their columns."""
        arrays, unread = read_objects(lines.where(mask), self._fields)
        if unread is not None:
            mask = _among(mask, ~unread)
        values, unparsed = self._values(arrays, int(np.count_nonzero(mask)))
        return self._rows.known(mask, values, unparsed)

    def _values(self, arrays: list[Any], count: int) -> tuple[list[Array], Any]:
        """Values of the columns, and a mask of lines with unparsed values."""
        unparsed = np.zeros(count, bool)
        values = []
        for column, array in zip(self._columns, arrays, strict=True):
            data, unknown = value(array, column.type, self._formats, self._run)
            if unknown is not None:
                unparsed |= unknown
            values.append(data)
        return values, unparsed


def _among(mask: Any, chosen: Any) -> Any:
    """The mask without the lines that are not chosen among those where it is true."""
    if chosen.all():
        return mask
    result = mask.copy()
    result[mask] = chosen
    return result
