"""Rows of Parquet splits, read by the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from broadhead.files.parquet_footer import open_footers
from broadhead.operators.scan.parquet.calendars import check_calendar
from broadhead.operators.scan.parquet.exact_files import check_exact
from broadhead.operators.scan.parquet.file_columns import ColumnsById, ColumnsByName
from broadhead.operators.scan.parquet.row_group_filter import RowGroupFilter
from broadhead.operators.scan.parquet.row_positions import FileRows
from broadhead.operators.scan.parquet.stored_rows import StoredRows, stored_types
from broadhead.operators.scan.parquet.stored_types import check_types
from broadhead.operators.scan.parquet.table_rows import TableRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.files.parquet_footer import Footer, RowGroup
    from broadhead.operators.context import Run, Split
    from broadhead.operators.scan.parquet.file_columns import FileColumns
    from broadhead.operators.scan.read_rows import ReadRows
    from broadhead.plan.nodes import Attribute, FileScan


@dataclass(frozen=True, slots=True)
class SplitRowGroups:
    """Row groups of a split, with the file's own names of the data columns (None: not there)."""

    split: Split
    row_groups: tuple[RowGroup, ...]
    names: tuple[str | None, ...]


def read_parquet(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the scan's splits without the row groups that its filters refute.

    Raises pyarrow's errors for a file that is missing or corrupt, and `EngineLimit` for a column
    without a counterpart or with another type than the table's.
    """
    parts = list(_whole_files(_row_groups(node, run)))
    for same_files in _runs_of_equal_names(parts):
        yield from _read(node, same_files, run)


def _row_groups(node: FileScan, run: Run) -> Iterator[SplitRowGroups]:
    """The row groups to read of each split, without those that the filters refute."""
    splits = run.sources.splits(node.id)
    if "fields" in node.options:
        run.metrics.add(node.id, "numSplits", len(splits))
    footers = open_footers([split.file for split in splits])
    types = stored_types(node)
    data = [
        replace(column, name=name)
        for name, column in zip(node.data_columns, node.output, strict=False)
    ]
    for split in splits:
        footer = next(footers)
        columns = _columns(node, footer, run)
        names = tuple(
            None if column.name in split.constants and not _is_generated(node, column) else name
            for name, column in zip(columns.resolve(data), data, strict=True)
        )
        check_types(
            footer,
            names,
            types,
            case_sensitive=run.settings.case_sensitive,
            widens=node.options.get("widens", True),
        )
        inside = list(footer.row_groups(split.start, split.length))
        if node.options.get("checksCalendar"):
            check_calendar(footer, names, types, inside)
        conditions = node.filters if split.is_filtered else ()
        if run.settings.exact:
            check_exact(footer, conditions)
        possible = RowGroupFilter(conditions, node.filter_columns, footer, columns).possible()
        kept = [group for group in inside if possible[group.number]]
        _count(node, run, inside, kept)
        if kept:
            yield SplitRowGroups(split, tuple(kept), names)


def _is_generated(node: FileScan, column: Attribute) -> bool:
    """Whether the constant of a column is only a part of its values."""
    return node.options["fields"][column.name]["generated"] is not None


def _columns(node: FileScan, footer: Footer, run: Run) -> FileColumns:
    if "fields" in node.options:
        return ColumnsById(footer, node.options["fields"], node.options["nameMapping"])
    return ColumnsByName(footer, node.options, run.settings.case_sensitive)


def _whole_files(parts: Iterator[SplitRowGroups]) -> Iterator[SplitRowGroups]:
    """Adjacent parts of one file combined into one, so that the file is opened once."""
    last: SplitRowGroups | None = None
    for part in parts:
        if last is None:
            last = part
        elif _is_continued(last, part):
            last = SplitRowGroups(last.split, last.row_groups + part.row_groups, last.names)
        else:
            yield last
            last = part
    if last is not None:
        yield last


def _is_continued(last: SplitRowGroups, part: SplitRowGroups) -> bool:
    """Whether the second part is of the same file, with the same other values."""
    before, split = last.split, part.split
    if (before.file, before.partition_values, before.deletion_vector, last.names) != (
        split.file,
        split.partition_values,
        split.deletion_vector,
        part.names,
    ):
        return False
    if before.deleted_rows is None or split.deleted_rows is None:
        return before.deleted_rows is split.deleted_rows
    return np.array_equal(before.deleted_rows, split.deleted_rows)


def _count(node: FileScan, run: Run, inside: Sequence[RowGroup], kept: Sequence[RowGroup]) -> None:
    run.metrics.add(node.id, "rowGroups", len(inside))
    run.metrics.add(node.id, "rowGroupsPruned", len(inside) - len(kept))
    run.metrics.add(node.id, "bytesRead", sum(group.compressed_bytes for group in kept))


def _runs_of_equal_names(parts: Sequence[SplitRowGroups]) -> Iterator[list[SplitRowGroups]]:
    """Adjacent parts that one call can read: their files have the same columns."""
    same_files: list[SplitRowGroups] = []
    for part in parts:
        if same_files and same_files[0].names != part.names:
            yield same_files
            same_files = []
        same_files.append(part)
    if same_files:
        yield same_files


def _read(node: FileScan, parts: Sequence[SplitRowGroups], run: Run) -> Iterator[ReadRows]:
    names = parts[0].names
    present = [i for i, name in enumerate(names) if name is not None]
    types = stored_types(node)
    batches = run.kernels.parquet.read(
        [(part.split.file, [group.number for group in part.row_groups]) for part in parts],
        [name for name in names if name is not None],
        [types[i] for i in present],
        run.kernels.device.batch_rows(run.settings),
        run.batch_bytes,
    )
    files = [FileRows(part.split, part.row_groups) for part in parts]
    rows: TableRows | StoredRows
    if "fields" in node.options:
        rows = TableRows(node, names, files, run)
    else:
        rows = StoredRows(node, files, run)
    for arrays, counts in batches:
        yield rows.of(dict(zip(present, arrays, strict=True)), counts)
