"""Rows of CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.errors import EngineLimit
from broadhead.files.line_blocks import line_blocks
from broadhead.operators.scan.csv.csv_options import CsvOptions
from broadhead.operators.scan.csv.device_lines import DeviceLines, DeviceReader
from broadhead.operators.scan.csv.fields import (
    MOST_BYTES,
    OtherFields,
    field_spans,
    field_values,
    uniform_spans,
)
from broadhead.operators.scan.csv.line_kinds import LineKinds, rows_of
from broadhead.operators.scan.csv.records import records
from broadhead.operators.scan.csv.uniform_fields import UniformFields
from broadhead.operators.scan.read_rows import ReadRows, rows_of_blocks
from broadhead.operators.scan.text.line_rows import LineRows
from broadhead.operators.scan.text.lines import Lines, block_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.files.input_file import InputFile
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split
    from broadhead.operators.scan.text.spans import Spans
    from broadhead.plan.nodes import FileScan

_MOST_OTHERS = 3
"""Blocks in which lines have quotes around other fields, after which no more are looked at."""


def read_csv(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the scan's splits.

    Raises OSError for a file that cannot be read, and `EngineLimit` for one that is compressed by
    an unknown codec or damaged, and for a line for which Spark's parser raises.
    """
    reader = _CsvReader(node, run)
    for split in run.sources.splits(node.id):
        yield from rows_of_blocks(reader.read(split), split, run)


class _CsvReader:
    """Reads the blocks of a scan's splits."""

    def __init__(self, node: FileScan, run: Run) -> None:
        self._node = node
        self._run = run
        self._options = CsvOptions.of(node.options)
        self._rows = LineRows(
            node,
            run,
            self._options.columns,
            values_are_independent=self._options.every_line_is_a_row,
        )
        self._used = [self._options.columns.all[number] for number in self._rows.in_lines]
        self._positions = [c.position for c in self._used if c.position is not None]
        self._device = DeviceReader(node.id, run, self._options, self._used)
        self._others = 0

    def read(self, split: Split) -> Iterator[tuple[dict[int, Array], int]]:
        """Data by ordinal, and number of rows, of each block that has rows."""
        parts = self._device.of(split)
        for start, length in parts:
            found = self._device.read(split.file, start, length)
            if found is not None:
                yield from self._rows_of(found)
            elif start == split.start:
                # the header may be in any part
                yield from self._read_on_host(split.file, start, split.length)
                return
            else:
                yield from self._read_on_host(split.file, start, length)
        if not parts:
            yield from self._read_on_host(split.file, split.start, split.length)

    def _rows_of(self, found: DeviceLines) -> Iterator[tuple[dict[int, Array], int]]:
        """The rows of a part of a file whose lines are plain, but for unparsed values."""
        if found.rows:
            rows = np.ones(found.rows, bool)
            plain, columns = self._rows.known(rows, found.columns, found.unparsed)
            yield self._rows.joined(found.lines, plain, rows & ~plain, columns)

    def _read_on_host(
        self, file: InputFile, start: int, length: int
    ) -> Iterator[tuple[dict[int, Array], int]]:
        options = self._options
        has_header = options.header and start == 0
        for lines in self._lines(file, start, length):
            rows = rows_of(lines, options)
            if has_header:
                first = int(rows.argmax())
                if not rows[first]:
                    continue
                has_header = False
                if lines.ends[first] - lines.starts[first] >= self._most_bytes():
                    raise EngineLimit("the header is very long")
                lines, rows = lines.slice(first + 1), rows[first + 1 :]
            if rows.any():
                yield self._read_lines(lines, rows)

    def _lines(self, file: InputFile, start: int, length: int) -> Iterator[Lines]:
        """The lines of blocks, or with `multiLine` their records."""
        options = self._options
        blocks = line_blocks(
            file,
            start,
            length,
            any_line_end=options.any_line_end and not options.multi_line,
            block_bytes=block_bytes(self._run.kernels.device.name),
        )
        counted = self._counted_bytes(blocks)
        if options.multi_line:
            yield from records(counted, options)
        else:
            for block in counted:
                yield Lines.of(block, any_line_end=options.any_line_end)

    def _counted_bytes(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self._run.metrics.add(self._node.id, "bytesRead", len(block))
            yield block

    def _read_lines(self, lines: Lines, rows: Any) -> tuple[dict[int, Array], int]:
        if not self._rows.in_lines and self._options.every_line_is_a_row:
            return self._counted(lines, rows)
        try:
            return self._plain_and_odd(lines, rows, count=not self._rows.in_lines)
        except OtherFields:
            return self._plain_and_odd(lines, rows, count=True)

    def _most_bytes(self) -> int:
        """Shorter lines are within Spark's limits whatever they contain."""
        limits = (self._options.most_fields, self._options.most_characters)
        return min(most for most in limits if most >= 0)

    def _counted(self, lines: Lines, rows: Any) -> tuple[dict[int, Array], int]:
        """The number of rows: Spark's parser raises at most for very long lines."""
        if self._options.is_parsed and (lines.ends - lines.starts).max() >= self._most_bytes():
            return self._rows.joined(lines, rows, rows, [])
        return {}, int(np.count_nonzero(rows))

    def _plain_and_odd(
        self, lines: Lines, rows: Any, *, count: bool
    ) -> tuple[dict[int, Array], int]:
        """Rows of the lines; raises `OtherFields` without `count` if a line has other fields."""
        fields = None if count else self._uniform(lines, rows)
        known = fields is not None
        kinds = LineKinds.of(lines, self._options, count=count, quotes_known=known)
        plain = rows if kinds.odd is None else rows & ~kinds.odd
        columns: list[Array] = []
        if plain.any() and self._rows.in_lines:
            if fields is not None and kinds.odd is None:
                spans = uniform_spans(lines, fields, self._positions)
            else:
                plain_lines = lines.where(plain)
                quoted = kinds.has_quotes
                spans = field_spans(plain_lines, self._positions, self._options, quoted=quoted)
            values, unparsed = self._values(spans)
            plain, columns = self._rows.known(plain, values, unparsed)
        return self._rows.joined(lines, plain, rows & ~plain, columns)

    def _uniform(self, lines: Lines, rows: Any) -> UniformFields | None:
        """The fields, if all lines have quotes around the same ones."""
        if self._others >= _MOST_OTHERS or len(lines.block) > MOST_BYTES or not rows.all():
            return None
        fields = UniformFields.of(lines, self._options)
        self._others += fields is None
        return fields

    def _values(self, spans: list[Spans]) -> tuple[list[Array], Any]:
        """Values of the columns of plain lines, and a mask of lines with unparsed values."""
        unparsed = np.zeros(len(spans[0].starts), bool)
        values = []
        for column, span in zip(self._used, spans, strict=True):
            data, unknown = field_values(span, column.type, self._options, self._run)
            if unknown is not None:
                unparsed |= unknown
            values.append(data)
        return values, unparsed
