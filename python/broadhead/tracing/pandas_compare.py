"""Comparisons of Series: false for missing values, except for !=."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.tracing import terms
from broadhead.tracing.numbers import EXACT
from broadhead.tracing.pandas_arithmetic import is_text, result_dtypes, text_expression
from broadhead.tracing.pandas_series import (
    FLOAT64,
    Kind,
    Series,
    booleans,
    converted,
    is_number,
    limits_of,
)
from broadhead.tracing.refusal import Untraceable

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


def compare(operator: str, left: Any, right: Any) -> Series:
    """`left operator right`, of which at least one is a Series."""
    if operator == "!=":
        equal = compare("==", left, right)
        return booleans(terms.not_(equal.expression), left, right)
    if is_text(left) and is_text(right):
        return _text(operator, left, right)
    from broadhead.tracing.pandas_times import is_time, time_compare

    if is_time(left) or is_time(right):
        return time_compare(operator, left, right)
    for side in (left, right):
        if not (isinstance(side, Series) or is_number(side)):
            raise Untraceable(f"it compares a Series and a {type(side).__name__}")
    return booleans(_numbers(operator, left, right), left, right)


def _numbers(operator: str, left: Any, right: Any) -> Expression:
    left, right = _unsigned_zeros(left), _unsigned_zeros(right)
    dtypes = result_dtypes(np.add, left, right)
    if any(dtype.kind == "f" for dtype in dtypes - {FLOAT64}):
        return _floats(operator, left, right, max(dtypes, key=lambda d: d.itemsize))
    if FLOAT64 in dtypes and len(dtypes) == 1:
        return _floats(operator, left, right, FLOAT64)
    (dtype,) = dtypes - {FLOAT64}
    if FLOAT64 in dtypes:
        left, right = _comparable(left, right), _comparable(right, left)
    if dtype.kind == "b":
        return terms.compare(operator, converted(left, dtype), converted(right, dtype))
    return terms.compare(operator, converted(left, dtype), converted(right, dtype))


def _unsigned_zeros(value: Any) -> Any:
    """The operand, of which a comparison does not see the sign of zeros."""
    return replace(value, negative_zero=terms.FALSE) if isinstance(value, Series) else value


def _comparable(value: Any, other: Any) -> Any:
    """An integer that may be compared as float64 in some batches."""
    bounds = limits_of(other)
    if bounds.low > -EXACT and bounds.high < EXACT:
        # Rounding does not move a number to the other side of one that is exact.
        return value
    if not isinstance(value, Series) or value.kind is not Kind.INT:
        return value
    return value.loosened()


def _floats(operator: str, left: Any, right: Any, dtype: np.dtype[Any]) -> Expression:
    return terms.float_compare(operator, converted(left, dtype), converted(right, dtype))


def _text(operator: str, left: Any, right: Any) -> Series:
    from broadhead.tracing.pandas_text import strings_are_objects

    sides = text_expression(left), text_expression(right)
    if operator != "==" and strings_are_objects() and any(side.nullable for side in sides):
        raise Untraceable("it orders strings that may be null")
    return booleans(terms.compare(operator, *sides), left, right)
