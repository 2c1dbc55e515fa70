"""Conversion of angles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.registry import function
from broadhead.registry import Signature
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

NUMBER = frozenset({"double"})
RADIANS_OF_DEGREE = 0.017453292519943295


@function("radians", spark="ToRadians", signatures=[Signature((NUMBER,), NUMBER)])
def radians(k: Kernels, number: Column) -> Column:
    """Degrees as radians.

    >>> SELECT radians(180D)
    3.141592653589793
    """
    factor = k.columns.scalar(RADIANS_OF_DEGREE, DOUBLE)
    return Column(k.arithmetic.multiply(number.data, factor), DOUBLE)
