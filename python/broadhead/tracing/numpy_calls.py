"""Functions of numpy and pandas with Series: a Series, or an array where numpy gives one."""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.expressions.traced_calls import FLOOR_FLOAT, IEEE_DIVIDE, IEEE_SQRT, ROUND_TO_EVEN
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.known_values import name_of
from broadhead.tracing.pandas_accessors import (
    as_type,
    clip,
    condition,
    is_missing,
    is_present,
    magnitude,
    rounded,
)
from broadhead.tracing.pandas_arithmetic import combine, common_dtype, loosened, result_dtypes
from broadhead.tracing.pandas_choice import selected
from broadhead.tracing.pandas_compare import compare
from broadhead.tracing.pandas_series import (
    Index,
    Kind,
    Series,
    all_arrays,
    booleans,
    converted,
    floats,
    limits_of,
)
from broadhead.tracing.pandas_times import of_dates
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.zero_signs import negative_zero

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.tracing.machine import Machine

OPERATORS = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.logical_and: "&",
    np.logical_or: "|",
    np.logical_xor: "^",
}
COMPARISONS = {
    np.equal: "==",
    np.not_equal: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
}
INFINITY = float("inf")


def call(machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a known function of which an argument is a symbol."""
    if function in OPERATORS and len(arguments) == 2 and not keywords:
        return combine(OPERATORS[function], *arguments)
    if function in COMPARISONS and len(arguments) == 2 and not keywords:
        return compare(COMPARISONS[function], *arguments)
    handler = _handlers().get(function)
    if handler is None:
        raise Untraceable(f"it calls {name_of(function)}")
    try:
        return handler(*arguments, **keywords)
    except TypeError:
        raise Untraceable(f"it calls {name_of(function)} with other arguments") from None


def _series(value: Any, name: str) -> Series:
    if not isinstance(value, Series):
        raise Untraceable(f"it calls {name} with a {type(value).__name__}")
    return value


def _unary(name: str, of_floats: Callable[[Expression], Expression]) -> Callable[..., Series]:
    """A numpy function of floats; integers stay what they are, or become floats before."""
    ufunc = getattr(np, name)

    def apply(value: Any) -> Series:
        series = _series(value, name)
        dtype, _ = common_dtype(result_dtypes(ufunc, series))
        if dtype.kind == "i":
            return series
        return floats(of_floats(converted(series, dtype)), series)

    return apply


def _floor(value: Expression) -> Expression:
    return terms.call(FLOOR_FLOAT, value.type, value)


def _ceil(value: Expression) -> Expression:
    return terms.negative(_floor(terms.negative(value)))


def _trunc(value: Expression) -> Expression:
    negative = terms.compare("<", value, Literal(0.0, value.type))
    return terms.if_(negative, _ceil(value), _floor(value))


def _rint(value: Expression) -> Expression:
    return terms.call(ROUND_TO_EVEN, value.type, value)


def _sqrt(value: Expression) -> Expression:
    return terms.call(IEEE_SQRT, value.type, value)


def _square(value: Any) -> Series:
    return combine("*", value, value)


def _where(cond: Any, then: Any, otherwise: Any) -> Series:
    return selected([condition(cond)], [then, otherwise])


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Series:
    if not isinstance(condlist, list) or not isinstance(choicelist, list):
        raise Untraceable("it calls numpy.select with other arguments")
    if len(condlist) != len(choicelist) or not condlist:
        raise Untraceable("it calls numpy.select with lists of other lengths")
    return selected([condition(value) for value in condlist], [*choicelist, default])


def _extreme(name: str) -> Callable[..., Series]:
    """`numpy.maximum` or `numpy.minimum`, which give a NaN of either side."""
    operator = {"maximum": "<", "minimum": ">"}[name]
    ufunc = getattr(np, name)

    def choose(left: Any, right: Any) -> Series:
        if not isinstance(left, Series):
            left, right = right, left
        series = _series(left, name)
        dtype, loose = common_dtype(result_dtypes(ufunc, series, right))
        if dtype.kind == "i":
            bounds = limits_of(series).joined(limits_of(right))
            sides = [loosened(side) if loose else side for side in (series, right)]
            a, b = (
                terms.guarded(converted(side, dtype), terms.not_(negative_zero(side)))
                for side in sides
            )
            smaller = terms.compare(operator, a, b)
            missing = terms.or_(terms.is_null(b), terms.false_if_null(smaller))
            value = terms.if_(missing, b, a)
            return Series(Kind.INT, value, loose, bounds, all_arrays(series, right))
        if dtype.kind != "f":
            raise Untraceable(f"it calls numpy.{name} with {series.shown}")
        a, b = converted(series, dtype), converted(right, dtype)
        return floats(_float_extreme(operator, a, b), series, right)

    return choose


def _float_extreme(operator: str, a: Expression, b: Expression) -> Expression:
    zero = Literal(0.0, a.type)
    # Which of 0.0 and -0.0 numpy gives depends on the processor's instructions.
    if isinstance(b, Literal):
        if b.value != b.value:
            raise Untraceable("it compares with NaN")
        if b.value == 0:
            if str(b.value) == "-0.0":
                raise Untraceable("it compares with -0.0")
            a = terms.guarded(a, terms.not_(_is_negative_zero(a)))
        return terms.if_(terms.false_if_null(terms.float_compare(operator, a, b)), b, a)
    both_zero = terms.and_(terms.compare("==", a, zero), terms.compare("==", b, zero))
    signs = terms.compare("==", _is_negative_zero(a), _is_negative_zero(b))
    a = terms.guarded(a, terms.or_(terms.not_(both_zero), signs))
    missing = terms.or_(terms.is_null(b), terms.is_nan(b))
    chosen = terms.if_(terms.false_if_null(terms.float_compare(operator, a, b)), b, a)
    return terms.if_(missing, b, chosen)


def _is_negative_zero(value: Expression) -> Expression:
    one, zero = Literal(1.0, value.type), Literal(0.0, value.type)
    inverse = terms.call(IEEE_DIVIDE, value.type, one, value)
    is_zero = terms.compare("==", value, zero)
    return terms.and_(is_zero, terms.compare("<", inverse, zero))


def _isnan(value: Any) -> Series:
    return is_missing(_numeric(value, "isnan"))


def _isinf(value: Any) -> Series:
    series = _numeric(value, "isinf")
    if series.kind is not Kind.FLOAT:
        return booleans(terms.FALSE, series)
    infinity = Literal(INFINITY, series.expression.type)
    size = terms.magnitude(series.expression)
    return booleans(terms.compare("==", size, infinity), series)


def _isfinite(value: Any) -> Series:
    series = _numeric(value, "isfinite")
    if series.kind is not Kind.FLOAT:
        return is_present(series)
    infinity = Literal(INFINITY, series.expression.type)
    size = terms.magnitude(series.expression)
    return booleans(terms.compare("<", size, infinity), series)


def _numeric(value: Any, name: str) -> Series:
    series = _series(value, name)
    if series.kind not in (Kind.INT, Kind.FLOAT):
        raise Untraceable(f"it calls numpy.{name} with {series.shown}")
    return series


def _sign(value: Any) -> Series:
    series = _numeric(value, "sign")
    if series.kind is not Kind.FLOAT:
        raise Untraceable("it calls numpy.sign with integers")
    data_type = series.expression.type
    zero, one, minus = (Literal(number, data_type) for number in (0.0, 1.0, -1.0))
    above = terms.false_if_null(terms.float_compare(">", series.expression, zero))
    below = terms.false_if_null(terms.float_compare("<", series.expression, zero))
    is_zero = terms.false_if_null(terms.compare("==", series.expression, zero))
    rest = terms.if_(is_zero, zero, series.expression)
    return floats(terms.if_(above, one, terms.if_(below, minus, rest)), series)


def _not(value: Any) -> Series:
    return booleans(terms.not_(condition(value)), value)


def _clip(value: Any, low: Any, high: Any) -> Series:
    return clip(_series(value, "clip"), low, high)


def _round(value: Any, decimals: Any = 0) -> Series:
    return rounded(_series(value, "round"), decimals)


def _absolute(value: Any) -> Series:
    return magnitude(_series(value, "abs"))


def _missing(value: Any) -> Series:
    return is_missing(_series(value, "isna"))


def _present(value: Any) -> Series:
    return is_present(_series(value, "notna"))


def _new_series(data: Any = None, index: Any = None, dtype: Any = None, name: Any = None) -> Series:
    """`pandas.Series(data)`: only a symbol has the rows of the batch."""
    series = _series(data, "pandas.Series")
    if index is not None and not isinstance(index, Index):
        raise Untraceable("it makes a Series with another index")
    if name is not None and not isinstance(name, str):
        raise Untraceable("it calls pandas.Series with other arguments")
    series = replace(series, is_array=False)
    return series if dtype is None else as_type(series, dtype)


def _builtin_abs(value: Any) -> Series:
    return magnitude(_series(value, "abs"))


@cache
def _handlers() -> dict[Any, Callable[..., Any]]:
    pd: Any = importlib.import_module("pandas")

    return {
        builtins.abs: _builtin_abs,
        np.abs: _absolute,
        np.where: _where,
        np.select: _select,
        np.maximum: _extreme("maximum"),
        np.minimum: _extreme("minimum"),
        np.isnan: _isnan,
        np.isinf: _isinf,
        np.isfinite: _isfinite,
        np.sign: _sign,
        np.sqrt: _unary("sqrt", _sqrt),
        np.floor: _unary("floor", _floor),
        np.ceil: _unary("ceil", _ceil),
        np.trunc: _unary("trunc", _trunc),
        np.rint: _unary("rint", _rint),
        np.square: _square,
        np.negative: lambda value: _series(value, "negative").unary("-"),
        np.logical_not: _not,
        np.clip: _clip,
        np.round: _round,
        np.around: _round,
        pd.isna: _missing,
        pd.isnull: _missing,
        pd.notna: _present,
        pd.notnull: _present,
        pd.Series: _new_series,
        pd.to_datetime: of_dates,
    }
