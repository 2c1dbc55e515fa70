"""CAST among intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.types import IntervalType

if TYPE_CHECKING:
    from broadhead.functions.conversion import Conversion
    from broadhead.kernels.interface import Array


def interval_to_interval(c: Conversion, data: Array) -> Array:
    """The interval truncated to the last field of the target, toward zero."""
    assert isinstance(c.target, IntervalType)
    if c.target.unit == 1:
        return data
    rest = c.k.arithmetic.remainder(data, c.k.columns.scalar(c.target.unit, c.target))
    return c.k.arithmetic.subtract(data, rest)
