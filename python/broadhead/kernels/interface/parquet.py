"""Kernels for reading and writing Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from io import RawIOBase

    from broadhead.files.input_file import InputFile
    from broadhead.kernels.interface.physical import Array
    from broadhead.plan.nodes import Attribute
    from broadhead.types import DataType


class Encoder(Protocol):
    """Writes one file to a sink."""

    def write(self, columns: Sequence[Array]) -> None:
        """Add rows as row groups of their own."""

    def close(self) -> None:
        """Write the footer."""


class Parquet(Protocol):
    """Reading of row groups, and writing of files."""

    def read(
        self,
        pieces: Sequence[tuple[InputFile, Sequence[int]]],
        names: Sequence[str],
        types: Sequence[DataType],
        batch_rows: int,
    ) -> Iterator[tuple[list[Array], list[int]]]:
        """Batches of physical data, with the number of rows of each piece.

        A piece is a file and the numbers of row groups; pieces are read in order. `names` are the
        exact names of top-level columns that are in all files. The counts are a list of the length
        of `pieces`.
        """

    def can_encode(self, columns: Sequence[Attribute], options: Mapping[str, Any]) -> bool:
        """Whether these kernels encode such files from physical data.

        `options` are those of `files.parquet_writer`.
        """

    def encoder(
        self, columns: Sequence[Attribute], options: Mapping[str, Any], sink: RawIOBase
    ) -> Encoder:
        """What encodes a file; only where `can_encode` is true."""
