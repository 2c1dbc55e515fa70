"""Columns of longs with Python's operators, for the arithmetic of dates and times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.functions.zones import floor_divide, floor_to
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.kernels.interface import Array, Data, Kernels


@dataclass(frozen=True, slots=True)
class Longs:
    """An Array of longs; sums, differences and products wrap around, divisions round down."""

    k: Kernels
    data: Array

    def _data(self, other: Longs | int) -> Data:
        return other.data if isinstance(other, Longs) else self.k.columns.scalar(other, LONG)

    def __add__(self, other: Longs | int) -> Longs:
        return Longs(self.k, self.k.arithmetic.add(self.data, self._data(other)))

    def __sub__(self, other: Longs | int) -> Longs:
        return Longs(self.k, self.k.arithmetic.subtract(self.data, self._data(other)))

    def __mul__(self, other: Longs | int) -> Longs:
        return Longs(self.k, self.k.arithmetic.multiply(self.data, self._data(other)))

    def __floordiv__(self, divisor: int) -> Longs:
        return Longs(self.k, floor_divide(self.k, self.data, divisor))

    def __mod__(self, divisor: int) -> Longs:
        return self - Longs(self.k, floor_to(self.k, self.data, divisor))

    def truncated(self, divisor: int) -> Longs:
        """The quotient by a positive number, rounded toward zero."""
        return Longs(self.k, self.k.arithmetic.quotient(self.data, self._data(divisor)))

    def is_less(self, other: Longs | int) -> Array:
        """A mask."""
        return self.k.logic.is_true(self.k.compare.compare("less", self.data, self._data(other)))

    def is_greater(self, other: Longs | int) -> Array:
        """A mask."""
        return self.k.logic.is_true(self.k.compare.compare("less", self._data(other), self.data))

    def equals(self, other: Longs | int) -> Array:
        """A mask."""
        return self.k.logic.is_true(self.k.compare.compare("equal", self.data, self._data(other)))

    def where(self, mask: Array, otherwise: Longs | int) -> Longs:
        """These numbers where the mask is true."""
        return Longs(self.k, self.k.logic.if_else(mask, self.data, self._data(otherwise)))

    def is_outside(self, least: int, greatest: int) -> bool:
        """Whether a number is less or greater than these two."""
        k = self.k
        return bool(k.logic.any(self.is_less(least)) or k.logic.any(self.is_greater(greatest)))


def longs(k: Kernels, operand: Column, rows: int) -> Longs:
    """Integers, dates, timestamps or intervals as longs, a scalar repeated for so many rows."""
    data = k.columns.full(operand.data, rows)
    if operand.type.name == "date":
        data = k.cast.reinterpret(data, INTEGER)
    return Longs(k, k.cast.widen(data, LONG))
