"""A value of one Series or another, row by row: `where`, `fillna`, `clip`, `numpy.where`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.pandas_arithmetic import common_dtype, is_text, loosened, text_expression
from broadhead.tracing.pandas_series import (
    FLOAT64,
    Kind,
    Series,
    booleans,
    converted,
    floats,
    is_number,
    limits_of,
    texts,
)
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.zero_signs import negative_zero
from broadhead.types import BOOLEAN, DOUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.plan.expressions import Expression

MOST_COMBINATIONS = 64


def is_nan_constant(value: Any) -> bool:
    """Whether a constant is NaN."""
    return isinstance(value, float | np.floating) and math.isnan(value)


def fitting(value: Any, series: Series) -> Series:
    """A constant as values that the dtype of a Series has; another Series unchanged.

    pandas widens the dtype for other constants, but only in batches in which they are used.
    """
    if isinstance(value, Series):
        return value
    data_type = series.expression.type
    if is_nan_constant(value) or value is None:
        if series.kind is Kind.BOOL:
            raise Untraceable("it makes booleans null")
        return Series(series.kind, terms.null(data_type), series.kind is Kind.INT, series.bounds)
    if series.kind is Kind.TEXT and isinstance(value, str):
        return texts(text_expression(value))
    if series.kind is Kind.BOOL and isinstance(value, bool | np.bool_):
        return Series(Kind.BOOL, Literal(bool(value), BOOLEAN))
    if not is_number(value) or isinstance(value, bool | np.bool_):
        raise Untraceable(f"it fills {series.shown} with a {type(value).__name__}")
    if series.kind is Kind.FLOAT:
        literal = converted(value, np.dtype(f"float{32 if data_type.name == 'float' else 64}"))
        assert isinstance(literal, Literal)
        if literal.value != value:
            raise Untraceable("it fills with a constant that the dtype does not have")
        return floats(literal)
    if series.kind is Kind.INT and float(value).is_integer():
        literal = converted(int(value), series.dtypes[0])
        return Series(Kind.INT, literal, False, limits_of(int(value)))
    raise Untraceable(f"it fills {series.shown} with {value}")


def choose(condition: Expression, then: Series, otherwise: Series) -> Series:
    """`then` where the condition is true, else `otherwise`, in the dtype of `then`.

    The dtype of the other one matters only in batches in which it is used.
    """
    then, otherwise = _same_dtype(then, otherwise)
    return _either(condition, then, otherwise)


def override(series: Series, condition: Expression, other: Series) -> Series:
    """`other` where the condition is true, else the Series, in the dtype of the Series."""
    series, other = _same_dtype(series, other)
    return _either(condition, other, series)


def _same_dtype(series: Series, other: Series) -> tuple[Series, Series]:
    """Both in the dtype of the first."""
    if series.expression.type == DOUBLE and other.kind in (Kind.INT, Kind.FLOAT):
        other = floats(converted(other, FLOAT64))
    if series.kind is not other.kind or series.expression.type != other.expression.type:
        raise Untraceable(f"it chooses between {series.shown} and {other.shown}")
    if not (series.loose or other.loose):
        return series, other
    if series.kind is Kind.BOOL:
        raise Untraceable("it chooses between booleans that may be null")
    return (series.loosened(), other.loosened()) if series.kind is Kind.INT else (series, other)


def _either(condition: Expression, then: Series, otherwise: Series) -> Series:
    expression = terms.if_(condition, then.expression, otherwise.expression)
    bounds = then.limits.joined(otherwise.limits) if then.kind is Kind.INT else None
    sign = terms.if_(condition, then.negative_zero, otherwise.negative_zero)
    loose = then.loose or otherwise.loose
    return Series(then.kind, expression, loose, bounds, negative_zero=sign)


def selected(conditions: Sequence[Expression], values: Sequence[Any]) -> Series:
    """The value of the first true condition, or the last one: an array of the common dtype.

    As `numpy.where` and `numpy.select`.
    """
    if all(is_text(value) for value in values):
        chosen = _first(conditions, [text_expression(value) for value in values])
        return Series(Kind.TEXT, chosen, is_array=True)
    for value in values:
        if not (isinstance(value, Series) or is_number(value)):
            raise Untraceable(f"it chooses a {type(value).__name__}")
    dtype, loose = common_dtype(_common(values))
    if loose:
        values = [loosened(value) for value in values]
    chosen = _first(conditions, [converted(value, dtype) for value in values])
    if dtype.kind == "b":
        return Series(Kind.BOOL, booleans(chosen).expression, is_array=True)
    if dtype.kind == "f":
        return Series(Kind.FLOAT, chosen, is_array=True)
    bounds = limits_of(values[0])
    for value in values[1:]:
        bounds = bounds.joined(limits_of(value))
    sign = _first(conditions, [negative_zero(value) for value in values])
    return Series(Kind.INT, chosen, loose, bounds, is_array=True, negative_zero=sign)


def _first(conditions: Sequence[Expression], values: Sequence[Expression]) -> Expression:
    result = values[-1]
    for condition, value in reversed(list(zip(conditions, values[:-1], strict=True))):
        result = terms.if_(condition, value, result)
    return result


def _common(values: Sequence[Any]) -> set[np.dtype[Any]]:
    """The common dtypes of values, for each of the dtypes that they may have."""
    combinations: list[list[Any]] = [[]]
    for value in values:
        choice = value.dtypes if isinstance(value, Series) else (value,)
        combinations = [[*chosen, one] for chosen in combinations for one in choice]
        if len(combinations) > MOST_COMBINATIONS:
            raise Untraceable("it chooses between many integers that may be null")
    return {np.result_type(*chosen) for chosen in combinations}
