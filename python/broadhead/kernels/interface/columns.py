"""Kernels for whole columns: creating, moving and measuring them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from broadhead.kernels.interface.physical import Array, Data
    from broadhead.packed import HostArray
    from broadhead.types import DataType


class Columns(Protocol):
    """Creating, moving and measuring columns."""

    def scalar(self, value: Any, data_type: DataType) -> Data:
        """A scalar from the Python form of a literal (`plan.nodes.Literal`); None is null."""

    def is_scalar(self, data: Data) -> bool:
        """True for the library's scalars."""

    def full(self, data: Data, length: int) -> Array:
        """`length` copies of a scalar; an Array is returned unchanged."""

    def sequence(self, length: int) -> Array:
        """0 to length - 1, int64."""

    def first(self, data: Array) -> Data:
        """The scalar in row 0 of a non-empty Array."""

    def length(self, data: Array) -> int:
        """Number of rows."""

    def null_count(self, data: Array) -> int:
        """Number of nulls."""

    def nbytes(self, data: Array) -> int:
        """Memory of the rows in bytes, without other rows of the same buffers."""

    def filter(self, arrays: Sequence[Array], mask: Array) -> list[Array]:
        """The rows where `mask` (nulls allowed) is true."""

    def take(self, arrays: Sequence[Array], indices: Array) -> list[Array]:
        """Rows `indices` (int32 or int64); a null index gives null."""

    def slice(self, arrays: Sequence[Array], offset: int, length: int) -> list[Array]:
        """`length` rows from `offset`, without a copy if the library supports it."""

    def concat(self, tables: Sequence[Sequence[Array]]) -> list[Array]:
        """The concatenated rows of all tables.

        All have the same columns, at least one.
        """

    def scatter(self, data: Array, mask: Array) -> Array:
        """An Array as long as `mask`: the rows of `data` where it is true, null elsewhere.

        `data` has one row for each true row of `mask`, in the same order.
        """

    def place(self, data: Array, positions: Array, length: int) -> Array:
        """An Array of `length` rows: those of `data` at these positions, null elsewhere.

        The positions are int64, none of them twice.
        """

    def from_arrow(self, array: pa.Array, data_type: DataType) -> Array:
        """Physical data of a host array.

        The array has the layout of Spark's `ArrowUtils.toArrowSchema`, or one of Parquet readers,
        which is normalised: string_view, large_string, dictionary, decimals of any width and
        precision, timestamps of any unit, integers of other widths. Raises EngineLimit if a value
        does not fit.
        """

    def to_arrow(self, data: Array, data_type: DataType) -> pa.Array:
        """A host array in the layout of Spark's `ArrowUtils.toArrowSchema`.

        That is decimal128(p, s), timestamp[us, UTC], timestamp[us], date32, strings with 32-bit
        offsets etc.
        """

    def to_host(self, data: Array, data_type: DataType) -> HostArray:
        """The physical data of the arrow kernels; nested types in the layout of `to_arrow`.

        Integers may be packed. Data on the host are returned unchanged.
        """

    def from_host(self, array: HostArray, data_type: DataType) -> Array:
        """The physical data of such a host array."""
