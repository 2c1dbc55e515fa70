"""Rows of CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.files.line_blocks import line_blocks
from broadhead.operators.scan.csv.conversions import convert
from broadhead.operators.scan.csv.csv_options import CsvOptions
from broadhead.operators.scan.csv.fields import OtherFields, read_fields
from broadhead.operators.scan.csv.line_kinds import LineKinds, rows_of
from broadhead.operators.scan.read_rows import ReadRows
from broadhead.operators.scan.text.lines import Lines, block_bytes
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split
    from broadhead.plan.nodes import FileScan


def read_csv(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the scan's splits.

    Raises OSError for a file that cannot be read, and `EngineLimit` for one that is compressed by
    an unknown codec or damaged, and for a line for which Spark's parser raises.
    """
    reader = _CsvReader(node, run)
    for split in run.sources.splits(node.id):
        for arrays, count in reader.read(split):
            yield from _batches(arrays, count, split, run)


def _batches(arrays: Mapping[int, Array], count: int, split: Split, run: Run) -> Iterator[ReadRows]:
    most = run.kernels.device.batch_rows(run.settings)
    for start in range(0, count, most):
        rows = min(most, count - start)
        parts = run.kernels.columns.slice(list(arrays.values()), start, rows)
        yield ReadRows(dict(zip(arrays, parts, strict=True)), [(split, rows)])


class _CsvReader:
    """Reads the blocks of a scan's splits."""

    def __init__(self, node: FileScan, run: Run) -> None:
        self._node = node
        self._run = run
        self._options = CsvOptions.of(node.options)
        names = [column.name for column in self._options.columns]
        self._wanted = [names.index(name) for name in node.data_columns]
        # any value may be malformed, which decides about the row or its other values
        used = set(self._wanted) if self._options.every_line_is_a_row else set(range(len(names)))
        self._in_lines = [
            number for number in sorted(used) if self._options.columns[number].position is not None
        ]

    def read(self, split: Split) -> Iterator[tuple[dict[int, Array], int]]:
        """Data by ordinal, and number of rows, of each block that has rows."""
        options = self._options
        blocks = line_blocks(
            split.file,
            split.start,
            split.length,
            any_line_end=options.any_line_end,
            block_bytes=block_bytes(self._run.kernels.device.name),
        )
        has_header = options.header and split.start == 0
        for block in blocks:
            self._run.metrics.add(self._node.id, "bytesRead", len(block))
            lines = Lines.of(block, any_line_end=options.any_line_end)
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

    def _read_lines(self, lines: Lines, rows: Any) -> tuple[dict[int, Array], int]:
        if not self._in_lines and self._options.every_line_is_a_row:
            return self._counted(lines, rows)
        try:
            return self._plain_and_odd(lines, rows, count=not self._in_lines)
        except OtherFields:
            return self._plain_and_odd(lines, rows, count=True)

    def _most_bytes(self) -> int:
        """Shorter lines are within Spark's limits whatever they contain."""
        limits = (self._options.most_fields, self._options.most_characters)
        return min(most for most in limits if most >= 0)

    def _counted(self, lines: Lines, rows: Any) -> tuple[dict[int, Array], int]:
        """The number of rows: Spark's parser raises at most for very long lines."""
        if self._options.is_parsed and (lines.ends - lines.starts).max() >= self._most_bytes():
            return self._merged(lines, rows, rows, [])
        return {}, int(np.count_nonzero(rows))

    def _plain_and_odd(
        self, lines: Lines, rows: Any, *, count: bool
    ) -> tuple[dict[int, Array], int]:
        """Rows of the lines; raises `OtherFields` without `count` if a line has other fields."""
        kinds = LineKinds.of(lines, self._options, count=count)
        plain = rows if kinds.odd is None else rows & ~kinds.odd
        numbers = np.flatnonzero(plain)
        columns: list[Array] = []
        if len(numbers) and self._in_lines:
            quoted = kinds.quoted[numbers] if kinds.quoted is not None else None
            columns, strange = self._values(lines.where(plain).block, quoted, len(numbers))
            if strange is not None:
                plain = plain.copy()
                plain[numbers[strange]] = False
                known = self._run.kernels.columns.from_arrow(
                    pa.array(np.flatnonzero(~strange)), LONG
                )
                columns = self._run.kernels.columns.take(columns, known) if columns else []
        return self._merged(lines, plain, rows & ~plain, columns)

    def _values(
        self, text: bytes, quoted: Any | None, count: int
    ) -> tuple[list[Array], Any | None]:
        """Values of the wanted columns in plain lines, and a mask of lines with strange values."""
        options = self._options
        used = [options.columns[number] for number in self._in_lines]
        positions = [column.position for column in used if column.position is not None]
        fields = read_fields(text, positions, options, quoted)
        if len(fields[0]) != count:
            raise OtherFields(f"{count} lines have {len(fields[0])} rows")
        strange = np.zeros(count, bool)
        values = {}
        for number, column, texts in zip(self._in_lines, used, fields, strict=True):
            data, unknown = convert(texts, column.type, options, self._run)
            if unknown is not None:
                strange |= unknown
            values[number] = data
        wanted = [values[number] for number in self._wanted if number in values]
        return wanted, strange if strange.any() else None

    def _merged(
        self, lines: Lines, plain: Any, odd: Any, columns: list[Array]
    ) -> tuple[dict[int, Array], int]:
        """The rows of plain lines, which are `columns`, and those of odd lines, in order."""
        in_lines = [
            ordinal
            for ordinal, number in enumerate(self._wanted)
            if self._options.columns[number].position is not None
        ]
        plain_rows = int(np.count_nonzero(plain))
        arrays = dict(zip(in_lines, columns, strict=True)) if plain_rows else {}
        if not odd.any():
            return arrays, plain_rows
        counts, parsed = self._parsed(lines, odd)
        rows = plain.astype(np.int64)
        rows[odd] = counts
        if not plain_rows:
            return dict(enumerate(parsed)), int(rows.sum())
        order = np.where(plain, np.cumsum(plain), plain_rows + np.cumsum(np.where(odd, rows, 0)))
        k = self._run.kernels.columns
        chosen = k.from_arrow(pa.array(order[rows > 0] - 1), LONG)
        result = {}
        for ordinal, of_odd in enumerate(parsed):
            of_plain = arrays.get(ordinal)
            if of_plain is None:
                data_type = self._node.output[ordinal].type
                of_plain = k.full(k.scalar(None, data_type), plain_rows)
            result[ordinal] = k.take(k.concat([[of_plain], [of_odd]]), chosen)[0]
        return result, int(rows.sum())

    def _parsed(self, lines: Lines, odd: Any) -> tuple[Any, list[Array]]:
        """The number of rows of each odd line, and the wanted columns of these rows."""
        run, numbers = self._run, np.flatnonzero(odd).tolist()
        if run.line_parser is None:
            raise EngineLimit("there is no parser for lines that are not plain")
        run.metrics.add(self._node.id, "linesParsed", len(numbers))
        counts, batch = run.line_parser.rows(
            self._node.id, [lines.line(number) for number in numbers], self._options.schema
        )
        columns = [
            run.kernels.columns.from_arrow(batch.column(number), self._options.columns[number].type)
            for number in self._wanted
        ]
        return counts, columns
