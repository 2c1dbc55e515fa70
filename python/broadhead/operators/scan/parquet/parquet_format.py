"""Rows of Parquet splits, read by the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.files.parquet_footer import open_footers
from broadhead.operators.scan.parquet.row_group_filter import RowGroupFilter
from broadhead.operators.scan.parquet.row_positions import RowPositions, generated
from broadhead.operators.scan.parquet.stored_types import check_types
from broadhead.operators.scan.read_rows import ReadRows
from broadhead.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from broadhead.files.parquet_footer import Footer, RowGroup
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split
    from broadhead.plan.nodes import FileScan
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Piece:
    """Row groups of one file, and the file's own names of the columns to read (None: missing)."""

    split: Split
    row_groups: tuple[RowGroup, ...]
    names: tuple[str | None, ...]


class _Columns:
    """The data columns of a scan, by their names in the files."""

    def __init__(self, node: FileScan, *, case_sensitive: bool) -> None:
        self._names = node.data_columns
        self._ids: Mapping[str, int] = node.options.get("fieldIds", {})
        self._generated: Mapping[str, str] = node.options.get("generated", {})
        stored = node.options.get("storedTypes", {})
        self._case_sensitive = case_sensitive
        self.types = [
            parse_type(stored[name]) if name in stored else attribute.type
            for name, attribute in zip(self._names, node.output, strict=False)
        ]

    @property
    def generated(self) -> dict[int, str]:
        """The kinds of the columns that no file has, by their ordinals."""
        kinds = self._generated
        return {i: kinds[name] for i, name in enumerate(self._names) if name in kinds}

    def resolve(self, names: Sequence[str], footer: Footer) -> tuple[str | None, ...]:
        """A file's own names of columns, None for those that it does not have.

        Raises `EngineLimit` if it has one that the scan generates: Spark's reader decides.
        """
        found = list(footer.resolve(names, case_sensitive=self._case_sensitive))
        for ordinal, name in enumerate(names):
            if name in self._generated and found[ordinal] is not None:
                raise EngineLimit(f"{footer.path} has a column {name}")
            if name in self._ids:
                found[ordinal] = footer.names_of_ids().get(self._ids[name])
        return tuple(found)

    def names_in(self, footer: Footer) -> tuple[str | None, ...]:
        """A file's own names of the scan's columns, whose types are checked."""
        names = self.resolve(self._names, footer)
        check_types(footer, names, self.types, case_sensitive=self._case_sensitive)
        return names


def read_parquet(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the scan's splits without the row groups that its filters refute.

    Raises pyarrow's errors for a file that is missing or corrupt, and `EngineLimit` for a column
    without a counterpart or with another type than the table's.
    """
    columns = _Columns(node, case_sensitive=run.settings.case_sensitive)
    pieces = list(_whole_files(_pieces(node, columns, run)))
    for same_files in _runs_of_equal_names(pieces):
        yield from _read(node, columns, same_files, run)


def _pieces(node: FileScan, columns: _Columns, run: Run) -> Iterator[Piece]:
    """The row groups to read of each split, without those that the filters refute."""
    splits = run.sources.splits(node.id)
    footers = open_footers([split.file for split in splits])
    for split in splits:
        footer = next(footers)
        names = columns.names_in(footer)
        inside = list(footer.row_groups(split.start, split.length))
        filters = RowGroupFilter(node.filters, node.filter_columns, footer, columns.resolve)
        kept = [group for group in inside if filters.may_match(group)]
        _count(node, run, inside, kept)
        if kept:
            yield Piece(split, tuple(kept), names)


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
            last = Piece(last.split, last.row_groups + piece.row_groups, last.names)
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


def _read(
    node: FileScan, columns: _Columns, pieces: Sequence[Piece], run: Run
) -> Iterator[ReadRows]:
    names = pieces[0].names
    present = [i for i, name in enumerate(names) if name is not None]
    types = [columns.types[i] for i in present]
    positions = RowPositions([(piece.split, piece.row_groups) for piece in pieces])
    batches = run.kernels.parquet.read(
        [(piece.split.file, [group.number for group in piece.row_groups]) for piece in pieces],
        [name for name in names if name is not None],
        types,
        run.kernels.device.batch_rows(run.settings),
    )
    for arrays, counts in batches:
        rows = [(piece.split, count) for piece, count in zip(pieces, counts, strict=True)]
        found = {
            i: array if stored == node.output[i].type else _renamed(array, stored, node, i, run)
            for i, array, stored in zip(present, arrays, types, strict=True)
        }
        if columns.generated:
            parts = positions.take(counts)
            for i, kind in columns.generated.items():
                values = pa.array(generated(kind, parts))
                found[i] = run.kernels.columns.from_arrow(values, node.output[i].type)
        yield ReadRows(found, rows)


def _renamed(array: Array, stored: DataType, node: FileScan, ordinal: int, run: Run) -> Array:
    """A nested column whose fields have other names in the files."""
    columns = run.kernels.columns
    data_type = node.output[ordinal].type
    renamed = columns.to_arrow(array, stored).view(arrow_type(data_type))
    return columns.from_arrow(renamed, data_type)
