"""Attributes and methods of Series: those that give each row its value from that row alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.expressions.traced_calls import ROUND_TO_EVEN
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import EXACT, Bounds, bounds_of
from broadhead.tracing.pandas_arithmetic import combine
from broadhead.tracing.pandas_choice import choose, fitting, override
from broadhead.tracing.pandas_compare import compare
from broadhead.tracing.pandas_series import (
    SPARK_TYPES,
    Index,
    Kind,
    Series,
    booleans,
    converted,
    floats,
    integers,
    is_number,
)
from broadhead.tracing.pandas_text import TextAccessor
from broadhead.tracing.pandas_times import TimeAccessor
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method
from broadhead.types import BOOLEAN, LONG, STRING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

ARRAY_METHODS = frozenset({"astype", "round", "clip"})
OPERATORS = {
    "add": "+",
    "sub": "-",
    "subtract": "-",
    "mul": "*",
    "multiply": "*",
    "div": "/",
    "divide": "/",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
}
REFLECTED = {"radd": "+", "rsub": "-", "rmul": "*", "rdiv": "/", "rtruediv": "/"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def attribute(series: Series, name: str) -> Any:
    """A method, an accessor, the array or the index; None for what is not known."""
    if series.is_array:
        return Method(series, name) if name in ARRAY_METHODS else None
    if name == "str" and series.kind is Kind.TEXT:
        return TextAccessor(series)
    if name == "dt" and series.kind in (Kind.TIME, Kind.SPAN):
        return TimeAccessor(series)
    if name == "values" and series.kind in (Kind.INT, Kind.FLOAT):
        return replace(series, is_array=True)
    if name == "index":
        return Index()
    return Method(series, name) if name in METHODS else None


def call(series: Series, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The result of a method."""
    try:
        return METHODS[name](series, *arguments, **keywords)
    except TypeError:
        raise Untraceable(f"it calls .{name} with other arguments") from None


def is_missing(series: Series) -> Series:
    """`series.isna()`."""
    return booleans(series.missing, series)


def is_present(series: Series) -> Series:
    """`series.notna()`."""
    return booleans(terms.not_(series.missing), series)


def fill(series: Series, value: Any) -> Series:
    """`series.fillna(value)`."""
    if isinstance(value, Series) and value.is_array:
        raise Untraceable("it fills with an array")
    if series.kind is Kind.BOOL and series.loose:
        raise Untraceable("it fills booleans, which stay objects")
    other = value if isinstance(value, Series) else fitting(value, series)
    return choose(terms.not_(series.missing), series, other)


def where(series: Series, cond: Any, other: Any = np.nan) -> Series:
    """`series.where(cond, other)`."""
    return choose(condition(cond), series, fitting(other, series))


def mask(series: Series, cond: Any, other: Any = np.nan) -> Series:
    """`series.mask(cond, other)`."""
    return choose(terms.not_(condition(cond)), series, fitting(other, series))


def condition(value: Any) -> Expression:
    """The values of a Series or array of booleans."""
    if isinstance(value, Series) and value.kind is Kind.BOOL and not value.loose:
        return value.expression
    raise Untraceable("it chooses by values that are not booleans, or may be null")


def replaced(series: Series, to_replace: Any, value: Any) -> Series:
    """`series.replace(to_replace, value)`, of constants."""
    if series.kind not in (Kind.INT, Kind.FLOAT, Kind.TEXT):
        raise Untraceable(f"it replaces values of {series.shown}")
    old, new = fitting(to_replace, series), fitting(value, series)
    if (new.expression.nullable and series.kind is Kind.TEXT) or old.expression.nullable:
        raise Untraceable("it replaces missing values, or by them")
    keep = terms.not_(compare("==", series, to_replace).expression)
    return choose(keep, series, new)


def combined(series: Series, other: Any) -> Series:
    """`series.combine_first(other)`."""
    same = isinstance(other, Series) and other.expression.type == series.expression.type
    if not same or series.kind is not Kind.FLOAT:
        raise Untraceable("it calls .combine_first with other arguments")
    return fill(series, other)


def clip(series: Series, lower: Any = None, upper: Any = None) -> Series:
    """`series.clip(lower, upper)`, with constants."""
    for end in (lower, upper):
        if end is not None and (not is_number(end) or end != end):
            raise Untraceable("it clips to values that are not constant numbers")
    if lower is not None and upper is not None and lower > upper:
        lower, upper = upper, lower
    if series.is_array:
        raise Untraceable("it clips an array")
    if lower is not None:
        below = compare("<", series, lower).expression
        series = override(series, below, fitting(lower, series))
    if upper is not None:
        above = compare(">", series, upper).expression
        series = override(series, above, fitting(upper, series))
    return series


def magnitude(series: Series) -> Series:
    """`series.abs()`."""
    if series.kind is Kind.FLOAT:
        return replace(series, expression=terms.magnitude(series.expression))
    if series.kind is not Kind.INT:
        raise Untraceable(f"it calls abs of {series.shown}")
    if not series.loose:
        return integers(terms.magnitude(series.expression), series)
    least = series.limits.low == bounds_of(series.expression.type).low
    return replace(
        series,
        expression=terms.magnitude(series.expression, checked=least),
        bounds=None,
        negative_zero=terms.FALSE,
    )


def rounded(series: Series, decimals: Any = 0) -> Series:
    """`series.round(decimals)`: as numpy multiplies, rounds and divides."""
    if type(decimals) is not int or not 0 <= decimals <= 15:
        raise Untraceable("it rounds to a number of digits that is not a small constant")
    if series.kind is Kind.INT:
        return _rounded_integers(series, decimals)
    if series.kind is not Kind.FLOAT:
        raise Untraceable(f"it rounds {series.shown}")
    data_type = series.expression.type
    if decimals == 0:
        return floats(terms.call(ROUND_TO_EVEN, data_type, series.expression), series)
    factor = float(10**decimals)
    scaled = combine("*", series, factor)
    whole = floats(terms.call(ROUND_TO_EVEN, data_type, scaled.expression), series)
    return combine("/", whole, factor)


def _rounded_integers(series: Series, decimals: int) -> Series:
    """The same integers; as floats, they are multiplied and divided, which must be exact."""
    if not series.loose or decimals == 0:
        return series
    series = series.settled()
    end = EXACT // 10**decimals
    if series.limits.within(Bounds(-end, end)):
        return series
    low, high = (Literal(value, LONG) for value in (-end, end))
    value = terms.cast(series.expression, LONG)
    inside = terms.and_(terms.compare("<=", low, value), terms.compare("<=", value, high))
    return replace(series, expression=terms.guarded(series.expression, inside))


def as_type(series: Series, dtype: Any, copy: Any = None) -> Series:
    """`series.astype(dtype)`."""
    target = _target(dtype)
    if target is str:
        return _as_text(series)
    if series.kind not in (Kind.INT, Kind.FLOAT, Kind.BOOL) or (
        series.kind is Kind.BOOL and series.loose
    ):
        raise Untraceable(f"it converts {series.shown} to {target}")
    data_type = SPARK_TYPES[target.name]
    if data_type.is_integral:
        return _as_integers(series, data_type)
    if data_type == BOOLEAN:
        return _as_booleans(series)
    value = series.settled() if series.loose and data_type.name == "float" else series
    return floats(converted(value, target), series)


def _target(dtype: Any) -> Any:
    if dtype is str or dtype == "str":
        return str
    try:
        target = np.dtype(
            {"integer": "int64"}.get(dtype, dtype) if isinstance(dtype, str) else dtype
        )
    except TypeError:
        raise Untraceable(f"it converts to {dtype}") from None
    if target.name not in SPARK_TYPES:
        raise Untraceable(f"it converts to {target.name}")
    return target


def _as_integers(series: Series, data_type: Any) -> Series:
    """Integers; a missing value raises, and what does not fit is left to numpy."""
    value = series.expression
    if series.kind is Kind.BOOL:
        return integers(terms.cast(value, data_type), series)
    if series.kind is Kind.INT and not series.loose:
        return integers(terms.cast(value, data_type), series)
    if series.kind is Kind.INT:
        settled = series.settled()
        value = terms.required(settled.expression, terms.not_(settled.missing))
        fits = settled.limits.within(bounds_of(data_type))
        result = integers(terms.cast(value, data_type, checked=not fits), series)
        return replace(result, bounds=settled.limits.clipped(bounds_of(data_type)))
    infinity = Literal(math.inf, value.type)
    finite = terms.compare("<", terms.magnitude(value), infinity)
    value = terms.required(value, terms.false_if_null(finite))
    low, high = bounds_of(data_type).low, bounds_of(data_type).high + 1
    # Only these ends are floats; whole numbers between them fit.
    inside = terms.and_(
        terms.compare("<=", Literal(float(low), value.type), value),
        terms.compare("<", value, Literal(float(high), value.type)),
    )
    return integers(terms.cast(terms.guarded(value, inside), data_type, checked=True), series)


def _as_booleans(series: Series) -> Series:
    zero = Literal(0.0 if series.kind is Kind.FLOAT else 0, series.expression.type)
    if series.kind is Kind.BOOL:
        return series
    is_zero = terms.false_if_null(terms.compare("==", series.expression, zero))
    return booleans(terms.not_(is_zero), series)


def _as_text(series: Series) -> Series:
    if series.is_array or series.kind not in (Kind.INT, Kind.TEXT) or series.loose:
        raise Untraceable(f"it converts {series.shown} that may be missing or floats to strings")
    if series.expression.nullable:
        raise Untraceable("it converts strings that may be null to strings")
    return Series(Kind.TEXT, terms.cast(series.expression, STRING))


def between(series: Series, left: Any, right: Any, inclusive: Any = "both") -> Series:
    """`series.between(left, right)`."""
    ends = {"both": (">=", "<="), "left": (">=", "<"), "right": (">", "<="), "neither": (">", "<")}
    if inclusive not in ends:
        raise Untraceable("it calls .between with other arguments")
    lower, upper = ends[inclusive]
    result = combine("&", compare(lower, series, left), compare(upper, series, right))
    return replace(result, is_array=series.is_array)


def is_in(series: Series, values: Any) -> Series:
    """`series.isin(values)`, of constants of the same kind."""
    kinds: Any = {Kind.INT: (int,), Kind.TEXT: (str,), Kind.FLOAT: (int, float)}.get(series.kind)
    if kinds is None or not isinstance(values, list | tuple | set | frozenset):
        raise Untraceable("it calls .isin with other arguments")
    if len(values) > 100 or any(type(item) not in kinds or item != item for item in values):
        raise Untraceable("it calls .isin with values of another type, or with many")
    result: Expression = terms.FALSE
    for item in sorted(values):
        result = terms.or_(result, compare("==", series, item).expression)
    return booleans(result, series)


def _operator(operator: str, *, reflected: bool = False) -> Callable[..., Series]:
    def apply(series: Series, other: Any) -> Series:
        return combine(operator, other, series) if reflected else combine(operator, series, other)

    return apply


def _comparison(operator: str) -> Callable[..., Series]:
    def apply(series: Series, other: Any) -> Series:
        return compare(operator, series, other)

    return apply


def to_array(series: Series) -> Series:
    """`series.to_numpy()`."""
    if series.kind not in (Kind.INT, Kind.FLOAT):
        raise Untraceable(f"it makes an array of {series.shown}")
    return replace(series, is_array=True)


METHODS: dict[str, Callable[..., Any]] = {
    "isna": is_missing,
    "isnull": is_missing,
    "notna": is_present,
    "notnull": is_present,
    "fillna": fill,
    "where": where,
    "mask": mask,
    "clip": clip,
    "abs": magnitude,
    "round": rounded,
    "astype": as_type,
    "between": between,
    "isin": is_in,
    "to_numpy": to_array,
    "copy": lambda series: series,
    "replace": replaced,
    "combine_first": combined,
    **{name: _operator(operator) for name, operator in OPERATORS.items()},
    **{name: _operator(operator, reflected=True) for name, operator in REFLECTED.items()},
    **{name: _comparison(operator) for name, operator in COMPARISONS.items()},
}
