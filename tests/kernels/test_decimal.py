"""Decimals as unscaled data, against exact fractions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import BOOLEAN, BYTE, DOUBLE, INTEGER, LONG, SHORT, STRING, DataType, decimal
from kernels.physical import (
    FAILED,
    HUGE,
    WIDE,
    array,
    check,
    check_checked,
    digits,
    mask,
    scalar,
    values,
    wide,
)

SHORT_DECIMAL = decimal(18, 0)
MOST = 10**38 - 1


def half_up(value: Fraction) -> int:
    magnitude = math.floor(abs(value) + Fraction(1, 2))
    return magnitude if value >= 0 else -magnitude


def rounded(value: Fraction, precision: int, scale: int) -> Any:
    result = half_up(value * 10**scale)
    return result if abs(result) < 10**precision else FAILED


def fraction(unscaled: int, scale: int) -> Fraction:
    return Fraction(unscaled, 10**scale)


def numbers(seed: int, most: int, count: int = 40) -> list[int | None]:
    """Random numbers of all lengths, with ends, ties and nulls."""
    random_ = random.Random(seed)
    some = [random_.randrange(10 ** random_.randrange(1, most + 1)) for _ in range(count)]
    signed = [n if random_.random() < 0.5 else -n for n in some]
    special = [0, 1, -1, 5, -5, 50, -50, 10**most - 1, 1 - 10**most, 5 * 10 ** (most - 1)]
    result: list[int | None] = [*signed, *special]
    for _ in range(count // 8):
        result.insert(random_.randrange(len(result)), None)
    return result


Exact = Callable[[Fraction, Fraction], Fraction | None]


def truncated_quotient(a: Fraction, b: Fraction) -> int:
    magnitude = abs(a) // abs(b)
    return int(magnitude if (a < 0) == (b < 0) else -magnitude)


def java_remainder(a: Fraction, b: Fraction) -> Fraction:
    """Beyond every precision, which is a failure, where the whole quotient has over 38 digits."""
    whole = truncated_quotient(a, b)
    return a - b * whole if -(10**38) < whole < 10**38 else Fraction(10**100)


OPERATIONS: dict[str, Exact] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: fraction(half_up(a / b * 10**38), 38) if b else None,
    "remainder": lambda a, b: java_remainder(a, b) if b else None,
}
# digits and scale of the left side, of the right side, then of the result
SHAPES = [
    ((7, 2), (7, 2), (8, 2)),
    ((15, 2), (15, 2), (18, 4)),
    ((15, 2), (16, 2), (32, 4)),
    ((18, 0), (18, 18), (38, 6)),
    ((18, 2), (5, 4), (20, 3)),
    ((9, 9), (18, 0), (9, 1)),
    ((19, 0), (19, 0), (38, 0)),
    ((20, 20), (20, 0), (38, 20)),
    ((38, 10), (38, 10), (38, 10)),
    ((38, 38), (38, 0), (38, 18)),
    ((38, 0), (38, 38), (38, 6)),
    ((38, 18), (18, 2), (38, 20)),
    ((38, 6), (10, 2), (10, 0)),
]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(("left", "right", "result"), SHAPES, ids=str)
def test_operations(
    k: Kernels,
    name: str,
    left: tuple[int, int],
    right: tuple[int, int],
    result: tuple[int, int],
) -> None:
    ls, rs = numbers(1, left[0]), numbers(2, right[0])[::-1]
    expected: list[Any] = []
    for a, b in zip(ls, rs, strict=True):
        if a is None or b is None:
            expected.append(None)
            continue
        exact = OPERATIONS[name](fraction(a, left[1]), fraction(b, right[1]))
        expected.append(None if exact is None else rounded(exact, *result))

    def function(a: Any, b: Any) -> Any:
        return getattr(k.decimal, name)(a, left[1], b, right[1], *result)

    arguments = [(ls, decimal(left[0], 0)), (rs, decimal(right[0], 0))]
    check_checked(k, function, arguments, decimal(result[0], 0), expected, scalars=False)
    some = [*range(0, len(ls), 11), ls.index(0), rs.index(0), len(ls) - 2]
    arguments = [([ls[i] for i in some], WIDE), ([rs[i] for i in some], WIDE)]
    check_checked(k, function, arguments, decimal(result[0], 0), [expected[i] for i in some])


@pytest.mark.parametrize("name", OPERATIONS)
def test_widths_are_mixed(k: Kernels, name: str) -> None:
    function = getattr(k.decimal, name)
    left, right = [10, None, -35, 7], [4, 5, 10, -2]
    expected = [
        None if a is None else rounded(OPERATIONS[name](Fraction(a), Fraction(b)), 38, 3)  # type: ignore[arg-type]
        for a, b in zip(left, right, strict=True)
    ]
    for a in (array(k, left, SHORT_DECIMAL), wide(k, left)):
        for b in (array(k, right, SHORT_DECIMAL), wide(k, right)):
            found, failed = function(a, 0, b, 0, 38, 3)
            assert digits(k, found) == expected
            assert failed is None


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("scale", [0, 18, 20, 38])
def test_zeros_of_any_scale(k: Kernels, name: str, scale: int) -> None:
    zero, one = array(k, [0, 0], WIDE), array(k, [1, None], WIDE)
    for a, b in ((zero, one), (zero, wide(k, [1, None])), (scalar(k, 0, WIDE), one)):
        found, failed = getattr(k.decimal, name)(a, scale, b, 0, 38, 0)
        assert digits(k, found) == [0 if name != "subtract" and name != "add" else
                                    -1 if name == "subtract" else 1, None]  # fmt: skip
        assert failed is None


def test_zero_times_a_huge_number(k: Kernels) -> None:
    check_checked(
        k,
        lambda a, b: k.decimal.multiply(a, 0, b, 0, 38, 0),
        [([0, 0, 1, 10], WIDE), ([MOST, -MOST, -MOST, MOST], WIDE)],
        WIDE,
        [0, 0, -MOST, FAILED],
    )


def test_products_of_tpch_stay_exact(k: Kernels) -> None:
    prices, discounts = [9_999_999, 10**15 - 1, None], [1, 99, 5]
    expected = [9_999_999, (10**15 - 1) * 99, None]
    for precision in (18, 31):
        found, failed = k.decimal.multiply(
            array(k, prices, decimal(15, 2)), 2, array(k, discounts, decimal(15, 2)), 2,
            precision, 4,
        )  # fmt: skip
        assert digits(k, found) == expected
        assert failed is None


def test_results_of_18_digits_are_longs(k: Kernels) -> None:
    data = wide(k, [1, None, 2])
    found, _ = k.decimal.add(data, 0, data, 0, 18, 0)
    assert k.decimal.fits_long(found) is not None
    assert values(k, k.decimal.fits_long(found), LONG) == [2, None, 4]


def test_a_quotient_is_rounded_twice(k: Kernels) -> None:
    # 4.5 of 10^-38 is rounded to 5 of 10^-38, and that then up: Spark rounds twice
    left, right = 449_999_999_999_999_999_999, 10**21
    exact = Fraction(left, right)
    shifted = half_up(exact * 10**38)
    found, _ = k.decimal.divide(
        array(k, [left, None], WIDE), 18, array(k, [right, 1], WIDE), 0, 38, 37
    )
    assert digits(k, found) == [half_up(fraction(shifted, 18 + 38) * 10**37), None]
    found, _ = k.decimal.divide(
        array(k, [444_444_444_444_444_444_444_444_444_444_444_444_45], WIDE), 38,
        array(k, [10], WIDE), 0, 38, 37,
    )  # fmt: skip
    twice = half_up(fraction(half_up(Fraction(44444444444444444444444444444444444445, 10)), 1))
    assert digits(k, found) == [twice]


@pytest.mark.parametrize("left", [-(10**17), -1, 0, 1, 5, 10**17, 10**31, MOST])
def test_quotients_of_all_sizes(k: Kernels, left: int) -> None:
    rights = [1, -2, 3, 7, 0, 10**18, -(2**63), 2**64 + 1, -MOST, None]
    for scales in ((0, 0), (2, 2), (38, 0), (0, 38), (6, 4)):
        expected: list[Any] = []
        for right in rights:
            if not right:
                expected.append(None)
                continue
            exact = fraction(left, scales[0]) / fraction(right, scales[1])
            expected.append(rounded(fraction(half_up(exact * 10**38), 38), 38, 18))
        check_checked(
            k,
            lambda a, b, s=scales: k.decimal.divide(a, s[0], b, s[1], 38, 18),
            [([left] * len(rights), WIDE), (rights, WIDE)],
            WIDE,
            expected,
        )


@pytest.mark.parametrize("scales", [(0, 0), (2, 0), (0, 5), (18, 18), (38, 0), (0, 38)])
def test_quotient(k: Kernels, scales: tuple[int, int]) -> None:
    ls, rs = numbers(3, 38), numbers(4, 20)[::-1]
    expected: list[Any] = []
    for a, b in zip(ls, rs, strict=True):
        if a is None or not b:
            expected.append(None)
            continue
        exact = truncated_quotient(fraction(a, scales[0]), fraction(b, scales[1]))
        expected.append(exact if -(2**63) <= exact < 2**63 else FAILED)
    check_checked(
        k,
        lambda a, b: k.decimal.quotient(a, scales[0], b, scales[1]),
        [(ls, WIDE), (rs, WIDE)],
        LONG,
        expected,
    )


def test_the_least_quotient(k: Kernels) -> None:
    least = -(2**63)
    check_checked(
        k,
        lambda a, b: k.decimal.quotient(a, 0, b, 0),
        [([least, least, 2**63, None, 7], WIDE), ([-1, 1, 1, 0, -2], WIDE)],
        LONG,
        [FAILED, least, FAILED, None, -3],
    )


@pytest.mark.parametrize(
    ("most", "source", "precision", "scale"),
    [
        (7, 2, 7, 2),
        (7, 2, 9, 4),
        (7, 4, 5, 2),
        (18, 0, 38, 20),
        (18, 0, 18, 1),
        (18, 18, 18, 0),
        (18, 18, 1, 0),
        (38, 0, 38, 0),
        (38, 0, 20, 0),
        (38, 38, 38, 0),
        (38, 38, 18, 1),
        (38, 10, 38, 9),
        (38, 2, 38, 4),
        (20, 0, 38, 38),
        (38, 0, 38, 38),
    ],
)
def test_rescale(k: Kernels, most: int, source: int, precision: int, scale: int) -> None:
    rows = numbers(5, most)
    expected = [None if n is None else rounded(fraction(n, source), precision, scale) for n in rows]
    check_checked(
        k,
        lambda a: k.decimal.rescale(a, source, precision, scale),
        [(rows, decimal(most, 0))],
        decimal(precision, 0),
        expected,
    )


def test_ties_round_away_from_zero(k: Kernels) -> None:
    rows = [25, -25, 24, -24, 26, -26, 15, 5, -5, 4, None]
    expected = [3, -3, 2, -2, 3, -3, 2, 1, -1, 0, None]
    check_checked(
        k, lambda a: k.decimal.rescale(a, 1, 18, 0), [(rows, WIDE)], SHORT_DECIMAL, expected
    )


@pytest.mark.parametrize("most", [18, 38])
def test_signs(k: Kernels, most: int) -> None:
    rows = numbers(6, most)
    if most == 38:
        rows += [2**63, -(2**63), 2**63 - 1]
    type = decimal(most, 0)
    check(k, k.decimal.negate, [(rows, type)], type, [None if n is None else -n for n in rows])
    check(k, k.decimal.abs, [(rows, type)], type, [None if n is None else abs(n) for n in rows])
    check(
        k, k.decimal.is_zero, [(rows, type)], BOOLEAN, [None if n is None else n == 0 for n in rows]
    )


def test_the_least_long_has_a_negative(k: Kernels) -> None:
    rows = [-(2**63), None, 5]
    check(k, k.decimal.negate, [(rows, WIDE)], WIDE, [2**63, None, -5])
    check(k, k.decimal.abs, [(rows, WIDE)], WIDE, [2**63, None, 5])
    twice, _ = k.decimal.add(array(k, rows, WIDE), 0, array(k, rows, WIDE), 0, 38, 0)
    assert digits(k, twice) == [-(2**64), None, 10]


def test_zero_is_not_a_zero_limb(k: Kernels) -> None:
    rows = [2**64, 0, -(2**64), None]
    check(k, k.decimal.is_zero, [(rows, WIDE)], BOOLEAN, [False, True, False, None])


@pytest.mark.parametrize("precision", [1, 9, 18, 19, 30, 38])
def test_exceeds(k: Kernels, precision: int) -> None:
    for most in (18, 38):
        rows = [*numbers(7, most), *(10**precision - 1, 1 - 10**precision)]
        if precision < most:
            rows += [10**precision, -(10**precision)]
        rows = [n for n in rows if n is None or abs(n) < 10**most]
        expected = [n is not None and abs(n) >= 10**precision for n in rows]
        for data in (array(k, rows, decimal(most, 0)), wide(k, rows)):
            found = k.decimal.exceeds(data, precision)
            assert mask(k, found, len(rows)) == expected
            assert (found is None) == (not any(expected))
    assert k.decimal.exceeds(array(k, [], WIDE), precision) is None
    assert k.decimal.exceeds(array(k, [None], WIDE), precision) is None


def test_fits_long(k: Kernels) -> None:
    rows = [2**63 - 1, -(2**63), None, 0]
    for data in (array(k, rows, WIDE), wide(k, rows)):
        assert values(k, k.decimal.fits_long(data), LONG) == rows
    for beyond in (2**63, -(2**63) - 1, 2**64, HUGE):
        assert k.decimal.fits_long(array(k, [1, beyond], WIDE)) is None
    assert values(k, k.decimal.fits_long(wide(k, [])), LONG) == []


@pytest.mark.parametrize("type", [BYTE, SHORT, INTEGER, LONG], ids=lambda t: t.name)
def test_from_integer(k: Kernels, type: DataType) -> None:
    rows = [100, -128, None, 0]
    check(k, k.decimal.from_integer, [(rows, type)], SHORT_DECIMAL, rows)


@pytest.mark.parametrize("scale", [0, 2, 18, 19, 38])
@pytest.mark.parametrize("most", [18, 38])
def test_to_integer(k: Kernels, most: int, scale: int) -> None:
    rows = [*numbers(8, most), 2**63 - 1, -(2**63)]
    if most == 38:
        rows += [2**63, -(2**63) - 1, 2**63 * 100, -(2**63) * 100 - 99, -(2**63) * 100 - 100]
    exact = [None if n is None else truncated_quotient(fraction(n, scale), Fraction(1))
             for n in rows]  # fmt: skip
    type = WIDE
    check_checked(
        k,
        lambda a: k.decimal.to_integer(a, scale),
        [(rows, type)],
        LONG,
        [n if n is None or -(2**63) <= n < 2**63 else FAILED for n in exact],
    )
    wrapped = [None if n is None else (n + 2**63) % 2**64 - 2**63 for n in exact]
    check(k, lambda a: k.decimal.to_integer_wrapped(a, scale), [(rows, type)], LONG, wrapped)


@pytest.mark.parametrize("scale", [0, 2, 18, 22, 23, 38])
@pytest.mark.parametrize("most", [15, 18, 38])
def test_to_double(k: Kernels, most: int, scale: int) -> None:
    rows = [*numbers(9, most, 200), *(n for n in (2**53 + 1, 2**54 + 2) if n < 10**most)]
    expected = [
        None if n is None else float(Decimal(n).scaleb(-scale, Context(prec=60))) for n in rows
    ]
    check(
        k, lambda a: k.decimal.to_double(a, scale), [(rows, decimal(most, 0))], DOUBLE,
        [None if n is None else n + 0.0 for n in expected],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("precision", "scale"), [(18, 2), (18, 0), (5, 2), (38, 10), (38, 38), (38, 0), (18, 18)]
)
def test_from_double(k: Kernels, precision: int, scale: int) -> None:
    random_ = random.Random(10)
    rows: list[Any] = [0.0, -0.0, 0.5, -0.5, 1.005, 2.675, 0.1, 1e22, 1e23, 1e-20, 5e-324, 1.8e308]
    rows += [0.015, 0.125, -0.125, 999.995, 123456789.125, 1e17, 9007199254740993.0, None]
    rows += [random_.uniform(-1000, 1000) for _ in range(30)]
    rows += [random_.random() * 10.0 ** random_.randrange(-20, 20) for _ in range(30)]
    rows += [n / 1000 for n in range(-2005, 2006, 5)] + [n + 0.5 for n in range(-5, 5)]
    rows += [2.0**43 / 100 + n / 1000 for n in range(20)] + [999.994, 999.996, -999.995]
    rows += [math.nan, math.inf, -math.inf]

    def exact(value: float) -> Any:
        if not math.isfinite(value):
            return FAILED
        return rounded(Fraction(repr(value)), precision, scale)

    expected = [None if v is None else exact(v) for v in rows]
    check_checked(
        k,
        lambda a: k.decimal.from_double(a, precision, scale),
        [(rows, DOUBLE)],
        decimal(precision, 0),
        expected,
    )


@pytest.mark.parametrize(
    ("unscaled", "scale", "plain", "java"),
    [
        (0, 0, "0", "0"),
        (0, 2, "0.00", "0.00"),
        (0, 6, "0.000000", "0.000000"),
        (0, 7, "0.0000000", "0E-7"),
        (5, 0, "5", "5"),
        (-5, 1, "-0.5", "-0.5"),
        (123, 2, "1.23", "1.23"),
        (-123456, 3, "-123.456", "-123.456"),
        (1, 6, "0.000001", "0.000001"),
        (1, 7, "0.0000001", "1E-7"),
        (-12, 8, "-0.00000012", "-1.2E-7"),
        (123, 10, "0.0000000123", "1.23E-8"),
        (123, 8, "0.00000123", "0.00000123"),
        (MOST, 0, "9" * 38, "9" * 38),
        (-MOST, 38, "-0." + "9" * 38, "-0." + "9" * 38),
        (1, 38, "0." + "0" * 37 + "1", "1E-38"),
        (-(2**63), 2, "-92233720368547758.08", "-92233720368547758.08"),
        (-MOST, 6, "-" + "9" * 32 + "." + "9" * 6, "-" + "9" * 32 + "." + "9" * 6),
        (7, 5, "0.00007", "0.00007"),
    ],
)
def test_to_string(k: Kernels, unscaled: int, scale: int, plain: str, java: str) -> None:
    for is_plain, text in ((True, plain), (False, java)):
        check(
            k,
            lambda a, p=is_plain: k.decimal.to_string(a, scale, plain=p),
            [([unscaled, None, unscaled], WIDE)],
            STRING,
            [text, None, text],
        )


def test_quotients_that_pyarrow_gets_wrong(k: Kernels) -> None:
    """About one 256-bit division in a thousand with many nines is off in pyarrow (26.0 too)."""
    nines = 10**38 - 1
    pairs = [(nines, 1), (-nines, 1), (nines, -1), (10**37 - 3, 7), (2**126 - 1, 2**64 - 2**32 + 1)]
    for left_scale, scale in ((10, 10), (9, 10), (20, 18), (38, 37), (0, 0)):
        expected = [
            rounded(half_up(Fraction(a, 10**left_scale) / b * 10**38) / Fraction(10**38), 38, scale)
            for a, b in pairs
        ]
        check_checked(
            k,
            lambda a, b, of=left_scale, to=scale: k.decimal.divide(a, of, b, 0, 38, to),
            [([a for a, _ in pairs], WIDE), ([b for _, b in pairs], WIDE)],
            WIDE,
            expected,
            scalars=False,
        )


def test_products_that_pyarrow_rounds_wrong(k: Kernels) -> None:
    left = [sign * (10**n - last) for n in (28, 33, 37, 38) for last in (1, 2) for sign in (1, -1)]
    for power in range(14, 38):
        expected = [rounded(Fraction(value), 38, 0) for value in left]
        check_checked(
            k,
            lambda a, b, scale=power: k.decimal.multiply(a, 0, b, scale, 38, 0),
            [(left, WIDE), ([10**power] * len(left), WIDE)],
            WIDE,
            expected,
            scalars=False,
        )
