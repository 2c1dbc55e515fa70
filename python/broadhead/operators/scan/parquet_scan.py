"""ParquetScan: rows of Parquet splits, read by the kernels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.scan.parquet_pruning import RowGroupFilter
from broadhead.operators.scan.stored_types import check_types
from broadhead.parquet_footer import RowGroup, open_footer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run, Split
    from broadhead.plan.nodes import ParquetScan


@dataclass(frozen=True, slots=True)
class Piece:
    """Row groups of one file, and the file's own names of the columns to read (None: missing)."""

    split: Split
    row_groups: tuple[int, ...]
    names: tuple[str | None, ...]
    rows: int


def parquet_scan(node: ParquetScan, run: Run) -> Iterator[Batch]:
    """Batches of the scan's data columns, then its partition columns.

    Raises pyarrow's errors for a file that is missing or corrupt, and `EngineLimit` for a column
    without a counterpart or with another type than the table's.
    """
    pieces = list(_whole_files(_pieces(node, run)))
    for same_files in _runs_of_equal_names(pieces):
        yield from _read(node, same_files, run)


def _pieces(node: ParquetScan, run: Run) -> Iterator[Piece]:
    """The row groups to read of each split, without those that the filters refute."""
    for split in run.sources.splits(node.id):
        start = time.perf_counter_ns()
        footer = open_footer(split.path)
        names = footer.resolve(node.data_columns, case_sensitive=run.settings.case_sensitive)
        types = [attribute.type for attribute in node.output]
        check_types(footer, names, types, case_sensitive=run.settings.case_sensitive)
        inside = list(footer.row_groups(split.start, split.length))
        filters = RowGroupFilter(
            node.filters,
            node.filter_columns,
            footer,
            case_sensitive=run.settings.case_sensitive,
        )
        kept = [group for group in inside if filters.may_match(group)]
        run.metrics.add(node.id, "readTime", time.perf_counter_ns() - start)
        _count(node, run, inside, kept)
        if kept:
            rows = sum(group.rows for group in kept)
            yield Piece(split, tuple(group.number for group in kept), names, rows)


def _whole_files(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Adjacent pieces of one file combined into one, so that the file is opened once."""
    last: Piece | None = None
    for piece in pieces:
        if last is None:
            last = piece
        elif (piece.split.path, piece.split.partition_values, piece.names) == (
            last.split.path,
            last.split.partition_values,
            last.names,
        ):
            groups = last.row_groups + piece.row_groups
            last = Piece(last.split, groups, last.names, last.rows + piece.rows)
        else:
            yield last
            last = piece
    if last is not None:
        yield last


def _count(
    node: ParquetScan, run: Run, inside: Sequence[RowGroup], kept: Sequence[RowGroup]
) -> None:
    run.metrics.add(node.id, "rowGroups", len(inside))
    run.metrics.add(node.id, "rowGroupsPruned", len(inside) - len(kept))
    run.metrics.add(node.id, "bytesRead", sum(group.compressed_bytes for group in kept))


def _runs_of_equal_names(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Adjacent pieces that one call can read: their files have the same columns."""
    same_files: list[Piece] = []
    for piece in pieces:
        if same_files and same_files[0].names != piece.names:
            yield same_files
            same_files = []
        same_files.append(piece)
    if same_files:
        yield same_files


def _read(node: ParquetScan, pieces: Sequence[Piece], run: Run) -> Iterator[Batch]:
    columns = run.kernels.columns
    names = pieces[0].names
    present = [i for i, name in enumerate(names) if name is not None]
    batches = run.kernels.parquet.read(
        [(piece.split.path, piece.row_groups) for piece in pieces],
        [name for name in names if name is not None],
        [node.output[i].type for i in present],
        run.kernels.device.batch_rows(run.settings),
    )
    while True:
        start = time.perf_counter_ns()
        arrays, counts = next(batches, (None, None))
        run.metrics.add(node.id, "readTime", time.perf_counter_ns() - start)
        if arrays is None or counts is None:
            return
        length = sum(counts)
        read = dict(zip(present, arrays, strict=True))
        data = tuple(
            Column(
                read[i] if i in read else columns.full(columns.scalar(None, a.type), length),
                a.type,
            )
            for i, a in enumerate(node.output[: len(names)])
        )
        yield Batch(data + _partition_columns(node, pieces, counts, run), length)


def _partition_columns(
    node: ParquetScan, pieces: Sequence[Piece], counts: Sequence[int], run: Run
) -> tuple[Column, ...]:
    """The partition values of each piece, repeated for its rows."""
    columns = run.kernels.columns
    attributes = node.output[len(node.data_columns) :]
    result = []
    for ordinal, attribute in zip(node.partition_ordinals, attributes, strict=True):
        parts = [
            [columns.full(columns.scalar(value, attribute.type), count)]
            for piece, count in zip(pieces, counts, strict=True)
            if count
            for value in [piece.split.partition_values[ordinal]]
        ]
        data = parts[0] if len(parts) == 1 else columns.concat(parts)
        result.append(Column(data[0], attribute.type))
    return tuple(result)
