"""Rows of lines: of plain ones by the engine, of all others by Spark's own parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.scan.text.line_columns import LineColumns
    from broadhead.operators.scan.text.lines import Lines
    from broadhead.plan.nodes import FileScan

_SEVERAL = 2


class LineRows:
    """Joins the rows of plain lines with those of odd lines.

    Attributes
    ----------
    in_lines
        Ordinals of the columns whose values must be read of plain lines, in order.
    """

    def __init__(
        self, node: FileScan, run: Run, columns: LineColumns, *, values_are_independent: bool
    ) -> None:
        """`values_are_independent` says that no value decides about its row and other values."""
        self._node = node
        self._run = run
        self._columns = columns
        self._wanted = columns.numbers(node.data_columns)
        used = set(self._wanted) if values_are_independent else set(range(len(columns.all)))
        self.in_lines = [
            number for number in sorted(used) if columns.all[number].position is not None
        ]

    def known(
        self, plain: Any, values: Sequence[Array], unparsed: Any | None
    ) -> tuple[Any, list[Array]]:
        """The mask of the lines whose values are known, and the wanted columns of these lines.

        `values` are those of the columns `in_lines` in the lines where `plain` is true, `unparsed`
        is a mask among these lines; None for no such line.
        """
        numbers = [number for number in self._wanted if number in self.in_lines]
        by_number = dict(zip(self.in_lines, values, strict=True))
        wanted = [by_number[number] for number in numbers]
        if unparsed is None or not unparsed.any():
            return plain, wanted
        plain = plain.copy()
        plain[np.flatnonzero(plain)[unparsed]] = False
        k = self._run.kernels.columns
        kept = k.from_arrow(pa.array(np.flatnonzero(~unparsed)), LONG)
        return plain, k.take(wanted, kept) if wanted else []

    def merged(
        self, parts: Sequence[tuple[Any, list[Array]]], count: int
    ) -> tuple[Any, list[Array]]:
        """The columns of parts of `count` lines in the order of the lines, and their mask."""
        parts = [part for part in parts if part[0].any()]
        if len(parts) < _SEVERAL:
            return parts[0] if parts else (np.zeros(count, bool), [])
        k = self._run.kernels.columns
        lines = np.concatenate([np.flatnonzero(mask) for mask, _ in parts])
        mask = np.logical_or.reduce([mask for mask, _ in parts])
        if not parts[0][1]:
            return mask, []
        order = k.from_arrow(pa.array(np.argsort(lines, kind="stable")), LONG)
        return mask, k.take(k.concat([columns for _, columns in parts]), order)

    def joined(
        self, lines: Lines, plain: Any, odd: Any, columns: Sequence[Array]
    ) -> tuple[dict[int, Array], int]:
        """Data by ordinal, and number of rows, of plain and odd lines in their order.

        The wanted columns of plain lines are `columns`; the other arguments are masks.
        """
        in_lines = [
            ordinal
            for ordinal, number in enumerate(self._wanted)
            if self._columns.all[number].position is not None
        ]
        plain_rows = int(np.count_nonzero(plain))
        arrays = dict(zip(in_lines, columns, strict=True)) if plain_rows else {}
        if not odd.any():
            return arrays, plain_rows
        counts, parsed = self._parsed(lines, odd)
        rows = plain.astype(np.int64)
        rows[odd] = counts
        count = int(rows.sum())
        if not plain_rows:
            return dict(enumerate(parsed)), count
        k = self._run.kernels.columns
        chosen = k.from_arrow(pa.array(_order(rows, plain, odd)), LONG)
        result = {}
        for ordinal, of_odd in enumerate(parsed):
            of_plain = arrays.get(ordinal)
            if of_plain is None:
                data_type = self._node.output[ordinal].type
                of_plain = k.full(k.scalar(None, data_type), plain_rows)
            result[ordinal] = k.take(k.concat([[of_plain], [of_odd]]), chosen)[0]
        return result, count

    def _parsed(self, lines: Lines, odd: Any) -> tuple[Any, list[Array]]:
        """The number of rows of each odd line, and the wanted columns of these rows."""
        run, numbers = self._run, np.flatnonzero(odd).tolist()
        if run.line_parser is None:
            raise EngineLimit("there is no parser for lines that are not plain")
        run.metrics.add(self._node.id, "linesParsed", len(numbers))
        counts, batch = run.line_parser.rows(
            self._node.id, [lines.line(number) for number in numbers], self._columns.schema
        )
        columns = [
            run.kernels.columns.from_arrow(batch.column(number), self._columns.all[number].type)
            for number in self._wanted
        ]
        return counts, columns


def _order(rows: Any, plain: Any, odd: Any) -> Any:
    """Where each row of the lines stands in the rows of plain lines followed by those of odd ones.

    `rows` is the number of rows of each line.
    """
    first = np.where(plain, np.cumsum(plain) - 1, 0)
    counts = rows[odd]
    first[odd] = np.count_nonzero(plain) + np.cumsum(counts) - counts
    total = int(rows.sum())
    within = np.arange(total) - np.repeat(np.cumsum(rows) - rows, rows)
    return np.repeat(first, rows) + within
