"""Arithmetic on integers of one width and floats of one width."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DOUBLE,
    FLOAT,
    INTEGER,
    INTEGRAL_BITS,
    LONG,
    SHORT,
    DataType,
)
from kernels.physical import FAILED, array, check, check_checked, same, scalar, values

INTEGERS = pytest.mark.parametrize("type", [BYTE, SHORT, INTEGER, LONG], ids=lambda t: t.name)
FLOATS = pytest.mark.parametrize("type", [FLOAT, DOUBLE], ids=lambda t: t.name)


def wrapped(value: int, type: DataType) -> int:
    half = 1 << (INTEGRAL_BITS[type.name] - 1)
    return (value + half) % (2 * half) - half


def pairs(type: DataType) -> tuple[list[Any], list[Any]]:
    """Ends, small numbers, random numbers and nulls, each with each."""
    half = 1 << (INTEGRAL_BITS[type.name] - 1)
    root = math.isqrt(half)
    random_ = random.Random(20_261)
    some = [random_.randrange(-half, half) for _ in range(3)]
    numbers = [-half, -half + 1, -root, -7, -1, 0, 1, 3, root, half - 1, *some, None]
    both = list(product(numbers, numbers))
    return [a for a, _ in both], [b for _, b in both]


def each(function: Callable[..., Any], *columns: list[Any]) -> list[Any]:
    return [None if None in row else function(*row) for row in zip(*columns, strict=True)]


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": int.__add__,
    "subtract": int.__sub__,
    "multiply": int.__mul__,
}


@INTEGERS
@pytest.mark.parametrize("name", OPERATIONS)
def test_integers_wrap_around(k: Kernels, name: str, type: DataType) -> None:
    left, right = pairs(type)
    expected = each(lambda a, b: wrapped(OPERATIONS[name](a, b), type), left, right)
    arguments = [(left, type), (right, type)]
    check(k, getattr(k.arithmetic, name), arguments, type, expected)


@INTEGERS
@pytest.mark.parametrize("name", OPERATIONS)
def test_overflow_is_marked(k: Kernels, name: str, type: DataType) -> None:
    def exact(a: int, b: int) -> Any:
        result = OPERATIONS[name](a, b)
        return result if result == wrapped(result, type) else FAILED

    left, right = pairs(type)
    arguments = [(left, type), (right, type)]
    function = getattr(k.arithmetic, f"{name}_checked")
    check_checked(k, function, arguments, type, each(exact, left, right))


@INTEGERS
def test_negate_and_abs(k: Kernels, type: DataType) -> None:
    numbers = sorted({n for n in pairs(type)[0] if n is not None})
    rows = [*numbers, None]
    check(k, k.arithmetic.negate, [(rows, type)], type, each(lambda a: wrapped(-a, type), rows))
    check(k, k.arithmetic.abs, [(rows, type)], type, each(lambda a: wrapped(abs(a), type), rows))
    least = each(lambda a: a == wrapped(-a, type) and a != 0, rows)
    check(k, k.arithmetic.least_integer, [(rows, type)], BOOLEAN, [*least[:-1], False])


@INTEGERS
def test_quotient(k: Kernels, type: DataType) -> None:
    def exact(a: int, b: int) -> int | None:
        if b == 0:
            return None
        quotient = abs(a) // abs(b)
        return wrapped(quotient if (a < 0) == (b < 0) else -quotient, type)

    left, right = pairs(type)
    arguments = [(left, type), (right, type)]
    check(k, k.arithmetic.quotient, arguments, type, each(exact, left, right))


@INTEGERS
def test_remainder(k: Kernels, type: DataType) -> None:
    def exact(a: int, b: int) -> int | None:
        if b == 0:
            return None
        return abs(a) % abs(b) * (-1 if a < 0 else 1)

    left, right = pairs(type)
    arguments = [(left, type), (right, type)]
    check(k, k.arithmetic.remainder, arguments, type, each(exact, left, right))


def float_pairs(type: DataType) -> tuple[list[Any], list[Any]]:
    tiny = 1e-45 if type == FLOAT else 5e-324
    numbers = [-math.inf, -1.5, -0.0, 0.0, tiny, 0.1, 3.0, 1e30, math.inf, math.nan]
    rounded = [float(np.float32(n)) if type == FLOAT else n for n in numbers]
    both = list(product([*rounded, None], repeat=2))
    return [a for a, _ in both], [b for _, b in both]


@FLOATS
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "remainder"])
def test_floats(k: Kernels, name: str, type: DataType) -> None:
    width: Any = np.float32 if type == FLOAT else np.float64
    operation = {"remainder": np.fmod}.get(name) or getattr(np, name)

    def exact(a: float, b: float) -> float:
        with np.errstate(all="ignore"):
            return float(operation(width(a), width(b)))

    left, right = float_pairs(type)
    arguments = [(left, type), (right, type)]
    check(k, getattr(k.arithmetic, name), arguments, type, each(exact, left, right))


def test_what_java_says_of_floats(k: Kernels) -> None:
    left, right = [5.5, -5.5, 5.5, 1.0, 0.0, -1.0], [2.0, 2.0, -2.0, 0.0, 0.0, 0.0]
    columns = [array(k, left, DOUBLE), array(k, right, DOUBLE)]
    rests = values(k, k.arithmetic.remainder(*columns), DOUBLE)
    assert same(rests, [1.5, -1.5, 1.5, math.nan, math.nan, math.nan])
    quotients = values(k, k.arithmetic.divide(*columns), DOUBLE)
    assert same(quotients, [2.75, -2.75, -2.75, math.inf, math.nan, -math.inf])


@FLOATS
def test_negate_and_abs_of_floats(k: Kernels, type: DataType) -> None:
    rows = [0.0, -0.0, 1.5, -math.inf, math.nan, None]
    check(k, k.arithmetic.negate, [(rows, type)], type, [-0.0, 0.0, -1.5, math.inf, math.nan, None])
    check(k, k.arithmetic.abs, [(rows, type)], type, [0.0, 0.0, 1.5, math.inf, math.nan, None])


@FLOATS
def test_sqrt(k: Kernels, type: DataType) -> None:
    rows = [4.0, 0.0, -0.0, -1.0, math.inf, -math.inf, math.nan, None]
    expected = [2.0, 0.0, -0.0, math.nan, math.inf, math.nan, math.nan, None]
    check(k, k.arithmetic.sqrt, [(rows, type)], type, expected)


def test_a_null_scalar_gives_nulls(k: Kernels) -> None:
    data = array(k, [1, 2], LONG)
    none = scalar(k, None, LONG)
    for name in ("add", "subtract", "multiply", "quotient", "remainder"):
        function = getattr(k.arithmetic, name)
        assert values(k, function(data, none), LONG) == [None, None]
        assert values(k, function(none, data), LONG) == [None, None]
