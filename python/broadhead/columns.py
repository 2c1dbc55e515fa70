"""Columns and batches: the data that operators exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one Spark type.

    `data` is the kernels' array of the physical form in `broadhead.types` (a pyarrow Array or a
    pylibcudf Column), or the kernels' scalar (a pyarrow Scalar or a pylibcudf Scalar), which
    represents the same value in every row.
    """

    data: Any
    type: DataType


@dataclass(frozen=True, slots=True)
class Batch:
    """`length` rows of columns, every one of them an array (no scalars)."""

    columns: tuple[Column, ...]
    length: int
