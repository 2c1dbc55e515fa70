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
        """A scalar of the library, which stands for the same value in every row.

        `value` has the Python form of a literal (`plan.expressions.Literal`): int for integers,
        days and microseconds, and for the unscaled integer of a decimal; None is null.
        """

    def is_scalar(self, data: Data) -> bool:
        """Whether `data` is a scalar of the library, not an Array."""

    def full(self, data: Data, length: int) -> Array:
        """An Array with `length` copies of a scalar; an Array is returned unchanged."""

    def sequence(self, length: int) -> Array:
        """The row ids of a batch: int64 from 0 to `length` - 1, without nulls."""

    def first(self, data: Array) -> Data:
        """The value of row 0 as a scalar, null or not. `data` has at least one row."""

    def length(self, data: Array) -> int:
        """How many rows `data` has, nulls included."""

    def null_count(self, data: Array) -> int:
        """How many rows of `data` are null; NaN is not null."""

    def nbytes(self, data: Array) -> int:
        """Bytes of memory that the rows take.

        Of a slice only its own rows count, although the buffers may have others.
        """

    def filter(self, arrays: Sequence[Array], mask: Array) -> list[Array]:
        """The rows of each Array where `mask` is true, in their order.

        Rows where the mask is false or null are dropped, as by Spark's WHERE. No Array gives no
        Array.
        """

    def take(self, arrays: Sequence[Array], indices: Array) -> list[Array]:
        """The rows with these row ids, in this order; ids may repeat.

        `indices` are int32 or int64 below the number of rows, which is not checked; a null one
        gives null in every Array. Raises `EngineLimit` if the strings of a result exceed 2 GiB.
        """

    def slice(self, arrays: Sequence[Array], offset: int, length: int) -> list[Array]:
        """Rows `offset` to `offset + length` (exclusive) of each Array.

        They are not copied if the library supports that, so they keep the whole buffers alive.
        """

    def concat(self, tables: Sequence[Sequence[Array]]) -> list[Array]:
        """The rows of all tables, one after the other: one Array for each column.

        There is at least one table, and all have the same columns; unscaled data may differ in
        width. Raises `EngineLimit` if the strings of a column exceed 2 GiB.
        """

    def scatter(self, data: Array, mask: Array) -> Array:
        """An Array as long as `mask`: rows of `data` where it is true, null elsewhere.

        `data` has one row for each true row of `mask`, in the same order. For the branches of CASE,
        of which each is evaluated for some rows only.
        """

    def put(self, data: Array, positions: Array, length: int) -> Array:
        """An Array of `length` rows: row i of `data` at row `positions[i]`, null elsewhere.

        The positions are int64 without nulls, less than `length`, none of them twice.
        """

    def from_arrow(self, array: pa.Array, data_type: DataType) -> Array:
        """Physical data of an Array on the host; null for null.

        The array has the layout of Spark's `ArrowUtils.toArrowSchema`, or one of Parquet readers,
        which is normalised: string_view, large_string, dictionary, decimals of any width and
        precision, timestamps of any unit, integers of other widths. Raises `EngineLimit` if a value
        does not fit.
        """

    def to_arrow(self, data: Array, data_type: DataType) -> pa.Array:
        """An Array on the host in the layout of Spark's `ArrowUtils.toArrowSchema`.

        That is decimal128(p, s), timestamp[us, UTC], timestamp[us], date32, strings with 32-bit
        offsets and so on; null for null. From a GPU the data are copied.
        """

    def to_host(self, data: Array, data_type: DataType) -> HostArray:
        """Data on the host in the physical form of the arrow kernels, for files and sockets.

        Nested types are in the layout of `to_arrow`. Integers from a GPU may be packed
        (`broadhead.packed`). Data that are on the host already are returned unchanged.
        """

    def from_host(self, array: HostArray, data_type: DataType) -> Array:
        """Physical data of these kernels from such a host array, packed or not.

        On a GPU the bytes are copied first and unpacked there.
        """
