"""Kernels for reading and writing Parquet files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from io import RawIOBase

    from broadhead.files.input_file import InputFile
    from broadhead.kernels.interface.physical import Array
    from broadhead.plan.nodes import Attribute
    from broadhead.types import DataType


class Encoder(Protocol):
    """Writes one Parquet file to a sink."""

    def write(self, columns: Sequence[Array]) -> None:
        """Add rows as row groups of their own: one Array of physical data for each column."""

    def close(self) -> None:
        """Write the footer, which completes the file."""


class Parquet(Protocol):
    """Reading of row groups, and writing of files."""

    def read(
        self,
        files: Sequence[tuple[InputFile, Sequence[int]]],
        names: Sequence[str],
        types: Sequence[DataType],
        batch_rows: int,
        batch_bytes: int = sys.maxsize,
    ) -> Iterator[tuple[list[Array], list[int]]]:
        """Batches of the rows of row groups, with the number of rows of each file.

        Parameters
        ----------
        files
            Files and the numbers of their row groups, which are read in this order.
        names
            Exact names of top-level columns that are in all files; none for rows without columns.
        types
            Spark's types of these columns. Values are converted to their physical form.
        batch_rows
            The greatest number of rows of a batch.
        batch_bytes
            The bytes from which a batch has fewer rows; a GPU has no such limit.

        Yields
        ------
        tuple
            The columns as physical data, and a list as long as `files`: how many rows of the batch
            come from each. Raises `EngineLimit` if a value does not fit its type.
        """

    def can_encode(self, columns: Sequence[Attribute], options: Mapping[str, Any]) -> bool:
        """Whether these kernels encode such files from physical data; never on the CPU.

        `columns` have the names and types of the table, `options` are those of
        `files.parquet_writer`.
        """

    def encoder(
        self, columns: Sequence[Attribute], options: Mapping[str, Any], sink: RawIOBase
    ) -> Encoder:
        """What encodes one file into `sink`; only where `can_encode` is true."""
