"""Kernels for booleans and nulls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Logic(Protocol):
    """Three-valued logic and choice."""

    def and_(self, left: Data, right: Data) -> Array:
        """Kleene and."""

    def or_(self, left: Data, right: Data) -> Array:
        """Kleene or."""

    def not_(self, data: Array) -> Array:
        """Not; null stays null."""

    def is_null(self, data: Array) -> Array:
        """Mask of the nulls (NaN is not null)."""

    def is_valid(self, data: Array) -> Array:
        """Mask of the values that are not null."""

    def is_nan(self, data: Array) -> Array:
        """Mask of the NaNs; false for null."""

    def is_true(self, data: Array) -> Array:
        """Mask: null becomes false."""

    def any(self, mask: Array) -> bool:
        """Whether a row is true (nulls are not)."""

    def all(self, mask: Array) -> bool:
        """Whether every row is true (nulls are not); true for no rows."""

    def if_else(self, condition: Array, then: Data, otherwise: Data) -> Array:
        """`then` where true, `otherwise` where false or null.

        Both of one physical type (unscaled data may differ in width).
        """

    def coalesce(self, data: Sequence[Data]) -> Array:
        """The first value that is not null."""

    def null_where(self, data: Array, mask: Array) -> Array:
        """`data` with null where `mask` is true."""
