"""Kernels for reading Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.files.input_file import InputFile
    from broadhead.kernels.interface.physical import Array
    from broadhead.types import DataType


class Parquet(Protocol):
    """Reading of row groups."""

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
