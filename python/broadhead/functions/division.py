"""Division and remainders: / div % pmod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.arithmetic import BINARY_ARITHMETIC, OVERFLOW, scaled
from broadhead.functions.operands import both_valid, checked, require
from broadhead.functions.registry import DECIMAL, EVAL_MODE, FLOATING, SAME, function
from broadhead.registry import Signature
from broadhead.types import INTEGER, LONG, MAX_PRECISION, DataType, DecimalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Data, Kernels

LONG_NAME = frozenset({"long"})
OUT_OF_RANGE = "NUMERIC_VALUE_OUT_OF_RANGE"


def _is_zero(k: Kernels, divisor: Column, rows: int) -> Array:
    """Mask of the divisors that are zero."""
    if divisor.type.is_decimal:
        return k.logic.is_true(k.decimal.is_zero(k.columns.full(divisor.data, rows)))
    zero = k.columns.scalar(0.0 if divisor.type.is_floating else 0, divisor.type)
    data = k.columns.full(divisor.data, rows)
    return k.logic.is_true(k.compare.compare("equal", data, zero))


def _refuse_zero(k: Kernels, left: Column, right: Column, zero: Array, eval_mode: str) -> None:
    """Raises under ANSI where a value that is not null is divided by zero."""
    if eval_mode == "ANSI" and k.logic.any(zero):
        require(k, both_valid(k, left.data, right.data, zero), "DIVIDE_BY_ZERO")


def _zeros(k: Kernels, left: Column, right: Column, eval_mode: str) -> Array:
    rows = k.columns.length(right.data if k.columns.is_scalar(left.data) else left.data)
    zero = _is_zero(k, right, rows)
    _refuse_zero(k, left, right, zero, eval_mode)
    return zero


@function(
    "/",
    spark="Divide",
    signatures=[Signature((FLOATING, SAME), FLOATING), Signature((DECIMAL, SAME), DECIMAL)],
    fields=EVAL_MODE,
    raises=True,
)
def divide(k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str) -> Column:
    """Quotient of two numbers.

    >>> SELECT 3 / 2
    1.5
    """
    zero = _zeros(k, left, right, eval_mode)
    if isinstance(returns, DecimalType):
        result = k.decimal.divide(*scaled(left), *scaled(right), returns.precision, returns.scale)
        return Column(checked(k, result, OUT_OF_RANGE, raises=eval_mode == "ANSI"), returns)
    quotient = k.arithmetic.divide(left.data, right.data)
    return Column(k.logic.null_where(quotient, zero), returns)


@function(
    "div",
    spark="IntegralDivide",
    signatures=[
        Signature((LONG_NAME, SAME), LONG_NAME),
        Signature((DECIMAL, SAME), LONG_NAME),
    ],
    fields=EVAL_MODE,
    raises=True,
)
def div(k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str) -> Column:
    """Quotient of two numbers without its fraction, as BIGINT.

    >>> SELECT 7 div 2
    3
    """
    _zeros(k, left, right, eval_mode)
    if left.type.is_decimal:
        # Spark keeps the low 64 bits of a quotient that does not fit: rare, and left to Spark
        quotient = k.decimal.quotient(*scaled(left), *scaled(right))
        return Column(checked(k, quotient, OVERFLOW, raises=True), returns)
    overflow = (
        k.logic.and_(
            _equals(k, left, -(2**63), right),
            _equals(k, right, -1, left),
        )
        if eval_mode != "LEGACY"
        else None
    )
    values = k.arithmetic.quotient(left.data, right.data)
    if overflow is None:
        return Column(values, returns)
    if eval_mode == "ANSI":
        require(k, overflow, OVERFLOW)
    return Column(k.logic.null_where(values, k.logic.is_true(overflow)), returns)


def _equals(k: Kernels, operand: Column, value: int, other: Column) -> Array:
    """Whether a long operand is `value` in each row of it or, if it is a scalar, of `other`."""
    data = operand.data
    if k.columns.is_scalar(data):
        data = k.columns.full(data, k.columns.length(other.data))
    return k.compare.compare("equal", data, k.columns.scalar(value, LONG))


def _remainder(k: Kernels, left: Column, right: Column, zero: Array, data_type: DataType) -> Array:
    """Java's remainder; null where the divisor is zero."""
    if isinstance(data_type, DecimalType):
        result = k.decimal.remainder(
            *scaled(left), *scaled(right), data_type.precision, data_type.scale
        )
        return checked(k, result, OUT_OF_RANGE, raises=True)
    values = k.arithmetic.remainder(left.data, right.data)
    return k.logic.null_where(values, zero) if data_type.is_floating else values


@function("%", spark="Remainder", signatures=BINARY_ARITHMETIC, fields=EVAL_MODE, raises=True)
def remainder(
    k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str
) -> Column:
    """The remainder of a division, with the sign of the dividend.

    >>> SELECT -7 % 3
    -1
    """
    zero = _zeros(k, left, right, eval_mode)
    return Column(_remainder(k, left, right, zero, returns), returns)


@function("pmod", spark="Pmod", signatures=BINARY_ARITHMETIC, fields=EVAL_MODE, raises=True)
def pmod(k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str) -> Column:
    """The remainder of a division, made positive if the divisor is.

    >>> SELECT pmod(-7, 3)
    2
    """
    zero = _zeros(k, left, right, eval_mode)
    if isinstance(returns, DecimalType):
        return Column(_decimal_pmod(k, left, right, zero, returns, eval_mode), returns)
    narrow = returns.name in {"byte", "short"}
    data_type = INTEGER if narrow else returns
    dividend = Column(k.cast.widen(left.data, data_type), data_type)
    divisor = Column(k.cast.widen(right.data, data_type), data_type)
    rest = _remainder(k, dividend, divisor, zero, data_type)
    zero_value: Data = k.columns.scalar(0.0 if data_type.is_floating else 0, data_type)
    negative = k.compare.compare("less", rest, zero_value)
    moved = Column(k.arithmetic.add(rest, divisor.data), data_type)
    again = _remainder(k, moved, divisor, zero, data_type)
    data = k.logic.if_else(negative, again, rest)
    return Column(k.cast.narrow_integer(data, returns) if narrow else data, returns)


def _decimal_pmod(
    k: Kernels, left: Column, right: Column, zero: Array, returns: DecimalType, eval_mode: str
) -> Array:
    wide = DecimalType("decimal", MAX_PRECISION, returns.scale)
    rest = Column(_remainder(k, left, right, zero, wide), wide)
    sum_ = k.decimal.add(*scaled(rest), *scaled(right), wide.precision, wide.scale)
    moved = Column(checked(k, sum_, OUT_OF_RANGE, raises=True), wide)
    again = _remainder(k, moved, right, zero, wide)
    negative = k.compare.compare("less", rest.data, k.columns.scalar(0, wide))
    data = k.logic.if_else(negative, again, rest.data)
    result = k.decimal.rescale(data, wide.scale, returns.precision, returns.scale)
    return checked(k, result, OUT_OF_RANGE, raises=eval_mode == "ANSI")
