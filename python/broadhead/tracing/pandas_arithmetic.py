"""Arithmetic, logic and concatenation of Series, with numpy's dtypes and roundings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.expressions.traced_calls import (
    FLOOR_QUOTIENT,
    FLOOR_REMAINDER,
    IEEE_DIVIDE,
    IEEE_SQRT,
)
from broadhead.plan.expressions import Call, Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import (
    NAMES,
    arithmetic_bounds,
    exact_arithmetic,
    floor_division,
)
from broadhead.tracing.pandas_series import (
    FLOAT64,
    SPARK_TYPES,
    Kind,
    Series,
    all_arrays,
    booleans,
    converted,
    floats,
    integers,
    is_number,
    limits_of,
    text_constant,
    texts,
)
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.zero_signs import of_result
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

UFUNCS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
}
LOGIC = frozenset({"&", "|", "^"})


def combine(operator: str, left: Any, right: Any) -> Series:
    """`left operator right`, of which at least one is a Series."""
    if operator in LOGIC:
        return _logic(operator, left, right)
    if is_text(left) and is_text(right):
        return _concatenated(operator, left, right)
    from broadhead.tracing.pandas_times import is_time, time_arithmetic

    if is_time(left) or is_time(right):
        return time_arithmetic(operator, left, right)
    for side in (left, right):
        if not (isinstance(side, Series) or is_number(side)):
            raise Untraceable(f"it combines a Series and a {type(side).__name__}")
    if operator == "**":
        return _power(left, right)
    if operator not in UFUNCS:
        raise Untraceable(f"it uses {operator} on a Series")
    return _arithmetic(operator, left, right)


def result_dtypes(ufunc: Any, *operands: Any) -> set[np.dtype[Any]]:
    """The dtypes that numpy gives the result, for each of the dtypes of the operands."""
    choices = [
        [np.empty(0, dtype) for dtype in operand.dtypes]
        if isinstance(operand, Series)
        else [operand]
        for operand in operands
    ]
    combinations: list[list[Any]] = [[]]
    for choice in choices:
        combinations = [[*chosen, one] for chosen in combinations for one in choice]
    try:
        with np.errstate(all="ignore"):
            return {ufunc(*chosen).dtype for chosen in combinations}
    except (OverflowError, TypeError):
        raise Untraceable("a constant does not fit into the dtype of a Series") from None


def common_dtype(dtypes: set[np.dtype[Any]]) -> tuple[np.dtype[Any], bool]:
    """The dtype of a result, and whether it is loose."""
    if len(dtypes) == 1:
        (dtype,) = dtypes
        if dtype.name in SPARK_TYPES:
            return dtype, False
    rest = dtypes - {FLOAT64}
    if FLOAT64 in dtypes and len(rest) == 1:
        (dtype,) = rest
        if dtype.kind == "i":
            return dtype, True
    raise Untraceable(f"its values may be of dtype {' or '.join(sorted(d.name for d in dtypes))}")


def _arithmetic(operator: str, left: Any, right: Any) -> Series:
    dtype, loose = common_dtype(result_dtypes(UFUNCS[operator], left, right))
    if dtype.kind == "f":
        return _float_arithmetic(operator, left, right, dtype)
    if dtype.kind == "b":
        raise Untraceable(f"it uses {operator} on booleans")
    if operator not in NAMES:
        return _floor_division(operator, left, right, dtype, loose=loose)
    bounds = arithmetic_bounds(operator, limits_of(left), limits_of(right))
    if not loose:
        result = terms.arithmetic(NAMES[operator], converted(left, dtype), converted(right, dtype))
        series = integers(result, left, right)
        fits = bounds.within(series.limits)
        return Series(Kind.INT, result, False, bounds if fits else None, series.is_array)
    left, right = loosened(left), loosened(right)
    bounds = arithmetic_bounds(operator, limits_of(left), limits_of(right))
    result, bounds = exact_arithmetic(
        operator, converted(left, dtype), converted(right, dtype), bounds
    )
    sign = of_result(operator, left, right, result)
    return Series(Kind.INT, result, True, bounds, all_arrays(left, right), sign)


def loosened(value: Any) -> Any:
    """An operand of a loose operation, which converts it to float64 in some batches."""
    if isinstance(value, Series):
        return value.loosened()
    if not limits_of(value).exact:
        raise Untraceable("it uses a constant beyond 2^53 with integers that may be null")
    return value


def _float_arithmetic(operator: str, left: Any, right: Any, dtype: np.dtype[Any]) -> Series:
    a, b = converted(left, dtype), converted(right, dtype)
    if operator in NAMES:
        return floats(terms.arithmetic(NAMES[operator], a, b), left, right)
    if operator == "/":
        return floats(terms.call(IEEE_DIVIDE, a.type, a, b), left, right)
    call = {"//": FLOOR_QUOTIENT, "%": FLOOR_REMAINDER}[operator]
    return floats(terms.call(call, a.type, a, _not_zero(b)), left, right)


def _not_zero(divisor: Expression) -> Expression:
    """A float; pandas has its own results for a division by zero, which are left to it."""
    if isinstance(divisor, Literal):
        if divisor.value == 0:
            raise Untraceable("it divides by zero")
        return divisor
    zero = terms.compare("==", divisor, Literal(0.0, divisor.type))
    return terms.guarded(divisor, terms.not_(zero))


def _floor_division(
    operator: str, left: Any, right: Any, dtype: np.dtype[Any], *, loose: bool
) -> Series:
    divisors = limits_of(right)
    if divisors.low == divisors.high == 0:
        raise Untraceable("it divides by zero")
    # A zero in the batch makes pandas return floats, and NaN for 0 // 0.
    may_be_zero = divisors.low <= 0 <= divisors.high
    loose = loose or may_be_zero
    if loose:
        left, right = loosened(left), loosened(right)
    result, bounds = floor_division(
        operator,
        (converted(left, dtype), limits_of(left)),
        (converted(right, dtype), limits_of(right)),
        zero_raises=False,
    )
    if may_be_zero:
        assert isinstance(result, Call)
        # So that the guard of the divisor is also met where only `isna` is asked.
        result = replace(result, nullable=True)
    sign = of_result(operator, left, right, result) if loose else terms.FALSE
    return Series(Kind.INT, result, loose, bounds, all_arrays(left, right), sign)


def _power(base: Any, exponent: Any) -> Series:
    """Powers that numpy computes by multiplication, or as a square root."""
    if not isinstance(base, Series) or type(exponent) not in (int, float):
        raise Untraceable("it uses ** with an exponent that is not a constant")
    if base.kind is Kind.INT and type(exponent) is int and exponent in (2, 3):
        square = combine("*", base, base)
        return square if exponent == 2 else combine("*", square, base)
    if base.kind is Kind.FLOAT and exponent == 2:
        return combine("*", base, base)
    if base.kind is Kind.FLOAT and exponent == 0.5:
        return floats(terms.call(IEEE_SQRT, base.expression.type, base.expression), base)
    raise Untraceable(f"it uses ** {exponent} on {base.shown}")


def _logic(operator: str, left: Any, right: Any) -> Series:
    sides = []
    for side in (left, right):
        if isinstance(side, Series) and side.kind is Kind.BOOL and not side.loose:
            sides.append(side.expression)
        elif isinstance(side, bool | np.bool_):
            sides.append(Literal(bool(side), BOOLEAN))
        else:
            shown = side.shown if isinstance(side, Series) else type(side).__name__
            raise Untraceable(f"it uses {operator} on {shown}")
    if operator == "&":
        return booleans(terms.and_(*sides), left, right)
    if operator == "|":
        return booleans(terms.or_(*sides), left, right)
    return booleans(terms.not_(terms.call("EqualTo", BOOLEAN, *sides)), left, right)


def is_text(value: Any) -> bool:
    """Whether the operand is a string, or a Series of strings."""
    return isinstance(value, str) or (isinstance(value, Series) and value.kind is Kind.TEXT)


def text_expression(value: Any) -> Expression:
    """A string, or the strings of a Series."""
    return text_constant(value) if isinstance(value, str) else value.expression


def _concatenated(operator: str, left: Any, right: Any) -> Series:
    if operator != "+":
        raise Untraceable(f"it uses {operator} on strings")
    if any(isinstance(side, Series) and side.is_array for side in (left, right)):
        raise Untraceable("it concatenates arrays of strings")
    sides = text_expression(left), text_expression(right)
    return texts(terms.call("Concat", sides[0].type, *sides))
