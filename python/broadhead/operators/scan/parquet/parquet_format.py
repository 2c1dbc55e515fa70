"""Rows of Parquet splits, read by the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.files.parquet_footer import open_footers
from broadhead.operators.scan.parquet.row_group_filter import RowGroupFilter
from broadhead.operators.scan.parquet.stored_types import check_types
from broadhead.operators.scan.read_rows import ReadRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.files.parquet_footer import RowGroup
    from broadhead.operators.context import Run, Split
    from broadhead.plan.nodes import FileScan


@dataclass(frozen=True, slots=True)
class Piece:
    """Row groups of one file, and the file's own names of the columns to read (None: missing)."""

    split: Split
    row_groups: tuple[int, ...]
    names: tuple[str | None, ...]
    rows: int


def read_parquet(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the scan's splits without the row groups that its filters refute.

    Raises pyarrow's errors for a file that is missing or corrupt, and `EngineLimit` for a column
    without a counterpart or with another type than the table's.
    """
    pieces = list(_whole_files(_pieces(node, run)))
    for same_files in _runs_of_equal_names(pieces):
        yield from _read(node, same_files, run)


def _pieces(node: FileScan, run: Run) -> Iterator[Piece]:
    """The row groups to read of each split, without those that the filters refute."""
    splits = run.sources.splits(node.id)
    footers = open_footers([split.file for split in splits])
    for split in splits:
        footer = next(footers)
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
        elif (piece.split.file, piece.split.partition_values, piece.names) == (
            last.split.file,
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


def _count(node: FileScan, run: Run, inside: Sequence[RowGroup], kept: Sequence[RowGroup]) -> None:
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


def _read(node: FileScan, pieces: Sequence[Piece], run: Run) -> Iterator[ReadRows]:
    names = pieces[0].names
    present = [i for i, name in enumerate(names) if name is not None]
    batches = run.kernels.parquet.read(
        [(piece.split.file, piece.row_groups) for piece in pieces],
        [name for name in names if name is not None],
        [node.output[i].type for i in present],
        run.kernels.device.batch_rows(run.settings),
    )
    for arrays, counts in batches:
        rows = [(piece.split, count) for piece, count in zip(pieces, counts, strict=True)]
        yield ReadRows(dict(zip(present, arrays, strict=True)), rows)
