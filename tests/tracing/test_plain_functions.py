"""Plain Python functions, with and without Arrow, against PySpark's own calls of them."""

from __future__ import annotations

import datetime
import functools
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from broadhead.tracing.signature import FunctionKind
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    DataType,
)
from tracing.comparison import check, signature

LABELS = {"a": "first", "b": "second"}
SHARES = {1: 0.5, 2: 0.25}
LIMITS = ((10, "low"), (100, "middle"), (1000, "high"))
RATE = 0.19


def grade(score: Any) -> Any:
    if score is None:
        return "none"
    if score >= 90:
        return "A"
    return "B" if score >= 80 else "C"


def first_limit(value: Any) -> Any:
    for limit, name in LIMITS:
        if value < limit:
            return name
    return "most"


def bounded_ratio(a: Any, b: Any) -> Any:
    if a is None or b is None or b == 0:
        return None
    ratio = a / b
    if math.isnan(ratio):
        ratio = -1.0
    return min(max(ratio, 0.0), 100.0)


def masked(text: Any) -> Any:
    return text[:2] + "***" + text[-2:] if text is not None and len(text) > 4 else "***"


def twice(value: Any) -> Any:
    return value * 2


def through_another(value: Any) -> Any:
    import math as m

    return m.floor(twice(value)) if value else 0


CASES: list[tuple[Callable[..., Any], DataType, tuple[DataType, ...]]] = [
    (lambda x: x + 1, LONG, (LONG,)),
    (lambda x: x + 1, LONG, (INTEGER,)),
    (lambda x: x * 3, BYTE, (SHORT,)),
    (lambda x: x + 1 if x is not None else None, LONG, (INTEGER,)),
    (lambda x: -x, LONG, (LONG,)),
    (lambda x: ~x, LONG, (LONG,)),
    (lambda x: +x, LONG, (LONG,)),
    (lambda x: abs(x), LONG, (LONG,)),
    (lambda a, b: a // b, LONG, (LONG, LONG)),
    (lambda a, b: a % b, LONG, (LONG, LONG)),
    (lambda a, b: a / b, DOUBLE, (LONG, LONG)),
    (lambda a, b: a & b | 12 ^ a, LONG, (LONG, INTEGER)),
    (lambda a, b: a**2 + b**3, LONG, (INTEGER, LONG)),
    (lambda a, b: a // b, DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a, b: a % b, DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a, b: a / b, DOUBLE, (DOUBLE, INTEGER)),
    (lambda a, b: a * b - a, DOUBLE, (DOUBLE, LONG)),
    (lambda a: 2.5 * a - 1 / 3, DOUBLE, (FLOAT,)),
    (lambda a, b: a < b, BOOLEAN, (DOUBLE, LONG)),
    (lambda a, b: a < b < 10, BOOLEAN, (INTEGER, INTEGER)),
    (lambda a, b: a != b, BOOLEAN, (DOUBLE, DOUBLE)),
    (lambda a, b: a == b, BOOLEAN, (STRING, STRING)),
    (lambda a, b: a <= b, BOOLEAN, (STRING, STRING)),
    (lambda a, b: a == b, BOOLEAN, (STRING, LONG)),
    (lambda a, b: operator.lt(a, operator.add(b, 1)), BOOLEAN, (LONG, INTEGER)),
    (lambda a, b: a and b, BOOLEAN, (BOOLEAN, BOOLEAN)),
    (lambda a, b: a or not b, BOOLEAN, (BOOLEAN, BOOLEAN)),
    (lambda a, b: (a > 1) & (b > 1) | (a == b), BOOLEAN, (DOUBLE, DOUBLE)),
    (lambda a: not a, BOOLEAN, (FLOAT,)),
    (lambda a: bool(a), BOOLEAN, (STRING,)),
    (lambda a: (a > 0) + (a > 1), LONG, (LONG,)),
    (lambda d: round(d), LONG, (DOUBLE,)),
    (lambda d: math.floor(d), LONG, (DOUBLE,)),
    (lambda d: math.ceil(d), LONG, (DOUBLE,)),
    (lambda d: math.trunc(d), LONG, (DOUBLE,)),
    (lambda d: int(d), INTEGER, (DOUBLE,)),
    (lambda d: math.sqrt(d), DOUBLE, (DOUBLE,)),
    (lambda d: math.fabs(d), DOUBLE, (LONG,)),
    (lambda d: float(d), DOUBLE, (LONG,)),
    (lambda d: math.isnan(d) or math.isinf(d), BOOLEAN, (DOUBLE,)),
    (lambda d: math.isfinite(d), BOOLEAN, (FLOAT,)),
    (lambda x: x, FLOAT, (DOUBLE,)),
    (lambda x: 0.0 if x is None else x, DOUBLE, (DOUBLE,)),
    (lambda x: x * (1 + RATE), DOUBLE, (DOUBLE,)),
    (lambda a, b: max(a, b, 0), LONG, (LONG, INTEGER)),
    (lambda a, b: min([a, b]), DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a: "even" if a % 2 == 0 else "odd", STRING, (LONG,)),
    (lambda s: s.upper().strip()[:3] if s else None, STRING, (STRING,)),
    (lambda s: s[1:-1] + "!" + s[-2:], STRING, (STRING,)),
    (lambda s: s[0].lower(), STRING, (STRING,)),
    (lambda s: s[-1], STRING, (STRING,)),
    (lambda s: s.strip("x") + s.lstrip() + s.rstrip("ab"), STRING, (STRING,)),
    (lambda s: s.startswith(("a", "x")) or "b" in s, BOOLEAN, (STRING,)),
    (lambda s, t: s.endswith(t), BOOLEAN, (STRING, STRING)),
    (lambda s: len(s), INTEGER, (STRING,)),
    (lambda s: s.replace("a", "_").replace("x", ""), STRING, (STRING,)),
    (lambda s: f"<{s}>", STRING, (STRING,)),
    (lambda x: f"{x}-{x}", STRING, (INTEGER,)),
    (lambda x: str(x), STRING, (BOOLEAN,)),
    (lambda x: isinstance(x, str), BOOLEAN, (STRING,)),
    (lambda k: LABELS.get(k, "none"), STRING, (STRING,)),
    (lambda k: LABELS[k], STRING, (STRING,)),
    (lambda k: SHARES.get(k), DOUBLE, (INTEGER,)),
    (lambda k: k in ("a", "b"), BOOLEAN, (STRING,)),
    (lambda k: k not in {1, 2}, BOOLEAN, (LONG,)),
    (lambda d: d.year * 100 + d.month, INTEGER, (DATE,)),
    (lambda d: d.isoweekday() in (6, 7), BOOLEAN, (DATE,)),
    (lambda d: d.weekday() + d.day, INTEGER, (DATE,)),
    (lambda a, b: (a - b).days, INTEGER, (DATE, DATE)),
    (lambda d: d >= datetime.date(2024, 2, 29), BOOLEAN, (DATE,)),
    (lambda d: d, DATE, (DATE,)),
    (grade, STRING, (INTEGER,)),
    (grade, STRING, (DOUBLE,)),
    (first_limit, STRING, (DOUBLE,)),
    (bounded_ratio, DOUBLE, (DOUBLE, INTEGER)),
    (masked, STRING, (STRING,)),
    (through_another, LONG, (DOUBLE,)),
]


@pytest.mark.parametrize("kind", [FunctionKind.PLAIN, FunctionKind.PLAIN_ARROW])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_function_means_what_it_gives(case: int, kind: FunctionKind) -> None:
    function, returns, arguments = CASES[case]
    check(function, signature(kind, returns, *arguments))


@pytest.mark.parametrize("case", range(0, len(CASES), 5))
def test_arguments_that_are_never_null(case: int) -> None:
    function, returns, arguments = CASES[case]
    check(function, signature(FunctionKind.PLAIN, returns, *arguments, nullable=False))


def test_an_int_as_a_double_is_null_without_arrow() -> None:
    check(lambda x: 0 if x > 1 else x, signature(FunctionKind.PLAIN, DOUBLE, DOUBLE))
    check(lambda x: 0 if x > 1 else x, signature(FunctionKind.PLAIN_ARROW, DOUBLE, DOUBLE))


def test_a_value_that_is_not_used_raises_too() -> None:
    """Python evaluates it, so it belongs to the meaning."""
    for function in (
        lambda x: (10 // x) and None,
        lambda x: [int(1 / x), 5][1],
        lambda x: 5 if (x % x) is None else 6,
    ):
        check(function, signature(FunctionKind.PLAIN, LONG, LONG))


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)

    return wrapper


@decorated
def decorated_twice(value: Any) -> Any:
    return value * 2


def first_present(*values: Any) -> Any:
    for value in values:
        if value is not None:
            return value
    return None


# pytest changes the assertions of its own files.
ASSERTING: dict[str, Any] = {}
exec(
    """
def checked(value):
    if value < 0:
        raise ValueError(f"less than zero: {value}")
    assert value < 100, "too large"
    return value
""",
    ASSERTING,
)


def named(value: Any) -> Any:
    match value:
        case 1:
            return "one"
        case 2:
            return "two"
    return "many"


def counted(value: Any) -> Any:
    number = 0
    while number < 3:
        value = value + number
        number += 1
    return value


def bound(value: Any) -> Any:
    return double if (double := value * 2) > 10 else -double


def multiplied_by(factor: Any) -> Any:
    def inner(value: Any, shift: Any = 3) -> Any:
        return value * factor + shift

    return inner


FORMS: list[tuple[Callable[..., Any], DataType, tuple[DataType, ...]]] = [
    (decorated_twice, LONG, (LONG,)),
    (first_present, LONG, (LONG, LONG, INTEGER)),
    (ASSERTING["checked"], LONG, (LONG,)),
    (named, STRING, (LONG,)),
    (counted, LONG, (INTEGER,)),
    (bound, LONG, (LONG,)),
    (multiplied_by(2.5), DOUBLE, (DOUBLE,)),
    (lambda a, b: sum([a, b], 1), LONG, (LONG, LONG)),
    (lambda a: pow(a, 2) + divmod(a, 7)[1], LONG, (INTEGER,)),
    (lambda a, b: "-".join([a, b.title(), "c"]), STRING, (STRING, STRING)),
    (lambda a: a.zfill(5).capitalize().removeprefix("0"), STRING, (STRING,)),
    (lambda a: a.split("b")[0], STRING, (STRING,)),
    (lambda a: a.split("b")[1] if "b" in a else None, STRING, (STRING,)),
    (lambda a: a.split("a")[-2], STRING, (STRING,)),
    (lambda a: None, LONG, (LONG,)),
    (lambda a: "x", STRING, (DOUBLE,)),
]


@pytest.mark.parametrize("case", range(len(FORMS)))
def test_forms_of_functions(case: int) -> None:
    function, returns, arguments = FORMS[case]
    check(function, signature(FunctionKind.PLAIN, returns, *arguments))


def test_arguments_by_name() -> None:
    def weighted(a: Any, *, b: Any = 2, c: Any = 5) -> Any:
        return a + 10 * b + 100 * c

    form = signature(FunctionKind.PLAIN, LONG, INTEGER, INTEGER)
    first, second = form.arguments
    named_form = type(form)(form.kind, (first, replace(second, name="c")), form.returns)
    check(weighted, named_form)
