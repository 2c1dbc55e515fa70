"""Arithmetic: + - * / and the unary operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.functions.operands import checked, require
from broadhead.functions.registry import (
    DAY_TIME_INTERVAL,
    DECIMAL,
    EVAL_MODE,
    FLOATING,
    INTEGRAL,
    SAME,
    YEAR_MONTH_INTERVAL,
    function,
)
from broadhead.registry import Allowed, Signature
from broadhead.types import DecimalType, IntervalType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from broadhead.kernels.interface import Kernels
    from broadhead.kernels.interface.physical import Checked, Data
    from broadhead.types import DataType

NUMBERS = (INTEGRAL, FLOATING, DECIMAL)
NUMBERS_AND_INTERVALS = (*NUMBERS, YEAR_MONTH_INTERVAL, DAY_TIME_INTERVAL)
SIGNED = tuple(Signature((kind,), kind) for kind in NUMBERS_AND_INTERVALS)
ADDITIVE = tuple(Signature((kind, SAME), kind) for kind in NUMBERS_AND_INTERVALS)
BINARY_ARITHMETIC = tuple(Signature((kind, SAME), kind) for kind in NUMBERS)
FAIL_ON_ERROR: Mapping[str, Allowed] = {"failOnError": (True, False)}
OVERFLOW = "ARITHMETIC_OVERFLOW"
BIG_DECIMAL_DIGITS = 34
"""Number of digits to which Scala's BigDecimal rounds the results of its operators."""


def _arithmetic(
    k: Kernels, operation: str, left: Column, right: Column, returns: DataType, eval_mode: str
) -> Column:
    """Applies `add`, `subtract` or `multiply` with the overflow rules of the eval mode."""
    if isinstance(returns, DecimalType):
        apply = getattr(k.decimal, operation)
        result = apply(*scaled(left), *scaled(right), returns.precision, returns.scale)
        raises = eval_mode == "ANSI"
        data = checked(k, result, "NUMERIC_VALUE_OUT_OF_RANGE", raises=raises)
    elif isinstance(returns, IntervalType):
        result = _checked(k, operation)(left.data, right.data)
        data = checked(k, result, "INTERVAL_ARITHMETIC_OVERFLOW", raises=True)
    elif returns.is_floating or eval_mode == "LEGACY":
        data = getattr(k.arithmetic, operation)(left.data, right.data)
    else:
        result = _checked(k, operation)(left.data, right.data)
        data = checked(k, result, OVERFLOW, raises=eval_mode == "ANSI")
    return Column(data, returns)


def _checked(k: Kernels, operation: str) -> Callable[[Data, Data], Checked]:
    """The kernel that tells the rows whose result overflows."""
    match operation:
        case "add":
            return k.arithmetic.add_checked
        case "subtract":
            return k.arithmetic.subtract_checked
        case _:
            return k.arithmetic.multiply_checked


def scaled(operand: Column) -> tuple[Any, int]:
    """Unscaled data and scale of a decimal operand."""
    assert isinstance(operand.type, DecimalType)
    return operand.data, operand.type.scale


@function(
    "+", spark="Add", signatures=ADDITIVE, fields=EVAL_MODE, raises=True, null_intolerant=True
)
def add(k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str) -> Column:
    """Sum of two numbers or intervals.

    >>> SELECT 1 + 2
    3
    """
    return _arithmetic(k, "add", left, right, returns, eval_mode)


@function(
    "-", spark="Subtract", signatures=ADDITIVE, fields=EVAL_MODE, raises=True, null_intolerant=True
)
def subtract(
    k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str
) -> Column:
    """Difference of two numbers or intervals.

    >>> SELECT 1 - 2
    -1
    """
    return _arithmetic(k, "subtract", left, right, returns, eval_mode)


@function(
    "*",
    spark="Multiply",
    signatures=BINARY_ARITHMETIC,
    fields=EVAL_MODE,
    raises=True,
    null_intolerant=True,
)
def multiply(
    k: Kernels, left: Column, right: Column, *, returns: DataType, eval_mode: str
) -> Column:
    """Product of two numbers.

    >>> SELECT 2 * 3
    6
    """
    return _arithmetic(k, "multiply", left, right, returns, eval_mode)


@function(
    "negative",
    spark="UnaryMinus",
    signatures=SIGNED,
    fields=FAIL_ON_ERROR,
    raises=True,
    null_intolerant=True,
)
def negative(k: Kernels, operand: Column, *, returns: DataType, fail_on_error: bool) -> Column:
    """The negated number or interval.

    >>> SELECT -5
    -5
    """
    if returns.is_decimal:
        _refuse_rounded(k, operand)
        return Column(k.decimal.negate(operand.data), returns)
    _refuse_least(k, operand, fail_on_error=fail_on_error)
    return Column(k.arithmetic.negate(operand.data), returns)


@function(
    "abs", spark="Abs", signatures=SIGNED, fields=FAIL_ON_ERROR, raises=True, null_intolerant=True
)
def abs_(k: Kernels, operand: Column, *, returns: DataType, fail_on_error: bool) -> Column:
    """Magnitude of a number or interval.

    >>> SELECT abs(-5)
    5
    """
    if returns.is_decimal:
        _refuse_rounded(k, operand)
        return Column(k.decimal.abs(operand.data), returns)
    _refuse_least(k, operand, fail_on_error=fail_on_error)
    return Column(k.arithmetic.abs(operand.data), returns)


def _refuse_rounded(k: Kernels, operand: Column) -> None:
    """Raises if Scala's BigDecimal rounds a decimal when its sign changes, and may overflow."""
    assert isinstance(operand.type, DecimalType)
    if operand.type.precision > BIG_DECIMAL_DIGITS:
        require(k, k.decimal.exceeds(operand.data, BIG_DECIMAL_DIGITS), OVERFLOW)


def _refuse_least(k: Kernels, operand: Column, *, fail_on_error: bool) -> None:
    """Raises for an integer whose negation overflows; for intervals in every eval mode."""
    if isinstance(operand.type, IntervalType) or (fail_on_error and operand.type.is_integral):
        least = k.arithmetic.least_integer(operand.data)
        require(k, least, OVERFLOW)
