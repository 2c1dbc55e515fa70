"""The functions that Spark's optimizer puts around sums of decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import require
from broadhead.functions.registry import DECIMAL, function
from broadhead.registry import Signature
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

LONG = frozenset({"long"})
OUT_OF_RANGE = "NUMERIC_VALUE_OUT_OF_RANGE"


@function(
    "unscaled_value",
    spark="UnscaledValue",
    signatures=[Signature((DECIMAL,), LONG)],
    note="added by Spark around short decimals in `sum` and `avg`",
)
def unscaled_value(k: Kernels, operand: Column, *, returns: DataType) -> Column:
    """The digits of a decimal of at most 18 digits as BIGINT.

    >>> SELECT sum(x) FROM VALUES (1.50) AS t(x)
    1.50
    """
    assert isinstance(operand.type, DecimalType)
    assert operand.type.precision <= MAX_LONG_DIGITS
    return Column(k.decimal.fits_long(operand.data), returns)


@function(
    "make_decimal",
    spark="MakeDecimal",
    signatures=[Signature((LONG,), DECIMAL)],
    fields={"precision": "any", "scale": "any", "nullOnOverflow": (True, False)},
    raises=True,
    note="added by Spark around sums of short decimals",
)
def make_decimal(
    k: Kernels, operand: Column, *, returns: DataType, null_on_overflow: bool
) -> Column:
    """The decimal with these unscaled digits.

    >>> SELECT sum(x) FROM VALUES (1.50) AS t(x)
    1.50
    """
    assert isinstance(returns, DecimalType)
    exceeds = k.decimal.exceeds(operand.data, returns.precision)
    if exceeds is None:
        return Column(operand.data, returns)
    if not null_on_overflow:
        require(k, exceeds, OUT_OF_RANGE)
    return Column(k.logic.null_where(operand.data, exceeds), returns)
