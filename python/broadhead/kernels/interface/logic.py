"""Kernels for booleans and nulls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Logic(Protocol):
    """Three-valued logic, and choice between values: one value a row."""

    def and_(self, left: Data, right: Data) -> Array:
        """True for two true sides, false where a side is false, otherwise null. Spark's AND."""

    def or_(self, left: Data, right: Data) -> Array:
        """True where a side is true, false for two false sides, otherwise null. Spark's OR."""

    def not_(self, data: Array) -> Array:
        """True for false, false for true, null for null. Spark's NOT."""

    def is_null(self, data: Array) -> Array:
        """Mask of the rows that are null. NaN is not null, as in Spark's IS NULL."""

    def is_valid(self, data: Array) -> Array:
        """Mask of the rows that are not null. Spark's IS NOT NULL."""

    def is_nan(self, data: Array) -> Array:
        """Mask of the floats that are NaN; false for null. Spark's `isnan`."""

    def is_true(self, data: Array) -> Array:
        """Mask of the rows that are true; false for null, as a WHERE takes its condition."""

    def any(self, mask: Array) -> bool:
        """Whether at least one row is true. Nulls are not; false for no rows."""

    def all(self, mask: Array) -> bool:
        """Whether every row is true. A null makes it false; true for no rows."""

    def if_else(self, condition: Array, then: Data, otherwise: Data) -> Array:
        """`then` where `condition` is true, `otherwise` where it is false or null.

        Both have one physical type; unscaled data may differ in width. The chosen value may be
        null. Spark's IF, for branches that raise nothing.
        """

    def coalesce(self, data: Sequence[Data]) -> Array:
        """The first value of each row that is not null; null if all are. Spark's `coalesce`.

        All of `data` have one physical type; unscaled data may differ in width.
        """

    def null_where(self, data: Array, mask: Array) -> Array:
        """`data` with null where `mask` is true, and unchanged elsewhere."""
