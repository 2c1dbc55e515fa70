"""Conversion between booleans, integers and floats."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.interface import Kernels
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    INTEGRAL_BITS,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
)
from kernels.physical import FAILED, array, check, check_checked, same, scalar, values

INTEGRAL = [BYTE, SHORT, INTEGER, LONG]


def half(type: DataType) -> int:
    return 1 << (INTEGRAL_BITS[type.name] - 1)


def wrapped(value: int, type: DataType) -> int:
    return (value + half(type)) % (2 * half(type)) - half(type)


def nearest_float(value: int) -> float:
    """The nearest float, through no double: that would round twice."""
    low, high = sorted((_float(value, -1), _float(value, 0), _float(value, 1)), key=lambda f: (
        abs(int(f) - value), _bits(f) & 1))[:2]  # fmt: skip
    return low if abs(int(low) - value) <= abs(int(high) - value) else high


def _float(value: int, step: int) -> float:
    bits = _bits(float(value)) if value else 0
    (result,) = struct.unpack("<f", struct.pack("<I", bits + step if bits else 0))
    return float(result)


def _bits(value: float) -> int:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return int(bits)


@pytest.mark.parametrize("source", INTEGRAL, ids=lambda t: t.name)
@pytest.mark.parametrize("to", [*INTEGRAL, FLOAT, DOUBLE], ids=lambda t: t.name)
def test_widen(k: Kernels, source: DataType, to: DataType) -> None:
    if to.is_integral and INTEGRAL_BITS[to.name] < INTEGRAL_BITS[source.name]:
        return
    rows = [-half(source), -1, 0, 100, half(source) - 1, None]
    if source == LONG:
        rows += [2**53 + 1, 2**24 + 1, 2**62 + 2**38, 2**62 + 2**38 + 1]
    expected: list[Any] = rows
    if to == DOUBLE:
        expected = [None if v is None else float(v) for v in rows]
    if to == FLOAT:
        expected = [None if v is None else nearest_float(v) for v in rows]
    check(k, lambda a: k.cast.widen(a, to), [(rows, source)], to, expected)
    one = k.cast.widen(scalar(k, rows[0], source), to)
    assert k.columns.is_scalar(one)
    assert same(values(k, k.columns.full(one, 2), to), [expected[0]] * 2)
    none = k.cast.widen(scalar(k, None, source), to)
    assert values(k, k.columns.full(none, 2), to) == [None, None]


@pytest.mark.parametrize("to", [*INTEGRAL, FLOAT, DOUBLE], ids=lambda t: t.name)
def test_widen_booleans(k: Kernels, to: DataType) -> None:
    one, zero = (1, 0) if to.is_integral else (1.0, 0.0)
    rows = [True, False, None]
    check(k, lambda a: k.cast.widen(a, to), [(rows, BOOLEAN)], to, [one, zero, None])


def test_widen_float(k: Kernels) -> None:
    rows = [0.5, -0.0, math.nan, math.inf, None]
    check(k, lambda a: k.cast.widen(a, DOUBLE), [(rows, FLOAT)], DOUBLE, rows)


def test_narrow_double(k: Kernels) -> None:
    rows = [0.5, -0.0, math.nan, math.inf, 1e300, 1e-300, 16_777_217.0, None]
    expected = [0.5, -0.0, math.nan, math.inf, math.inf, 0.0, 16_777_216.0, None]
    check(k, lambda a: k.cast.widen(a, FLOAT), [(rows, DOUBLE)], FLOAT, expected)


@pytest.mark.parametrize("source", INTEGRAL, ids=lambda t: t.name)
@pytest.mark.parametrize("to", INTEGRAL, ids=lambda t: t.name)
def test_narrow_integers(k: Kernels, source: DataType, to: DataType) -> None:
    ends = {-half(source), half(source) - 1, 0, 5, -7}
    for type in INTEGRAL:
        if half(type) < half(source):
            ends |= {-half(type), -half(type) - 1, half(type) - 1, half(type), 3 * half(type) + 1}
    rows = [*sorted(v for v in ends if v == wrapped(v, source)), None]
    expected = [None if v is None else wrapped(v, to) for v in rows]
    check(k, lambda a: k.cast.narrow_integer(a, to), [(rows, source)], to, expected)
    checked = [v if v == e else FAILED for v, e in zip(rows, expected, strict=True)]
    check_checked(k, lambda a: k.cast.narrow_integer_checked(a, to), [(rows, source)], to, checked)


FLOATS = [
    0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 127.0, 127.9, 128.0, -128.9, -129.0, 32_767.5, 32_768.0,
    -32_768.5, -32_769.0, 2_147_483_520.0, 2_147_483_648.0, -2_147_483_648.0, -2_147_483_904.0,
    9.2233715e18, 9.223372036854775807e18, -9.223372036854775808e18, -1.8446744e19, 1e30, -1e30,
    math.inf, -math.inf, math.nan,
]  # fmt: skip


@pytest.mark.parametrize("source", [FLOAT, DOUBLE], ids=lambda t: t.name)
@pytest.mark.parametrize("to", INTEGRAL, ids=lambda t: t.name)
def test_floats_to_integers(k: Kernels, source: DataType, to: DataType) -> None:
    numbers = FLOATS if source == DOUBLE else [_as_float(v) for v in FLOATS]
    if source == DOUBLE:
        numbers = [*numbers, 2_147_483_647.0, 2_147_483_647.9, -2_147_483_648.9]
    rows = [*numbers, None]

    def java(value: float) -> int:
        if math.isnan(value):
            return 0
        width = LONG if to == LONG else INTEGER
        truncated = math.trunc(max(-1e20, min(1e20, value)))
        return wrapped(max(-half(width), min(half(width) - 1, truncated)), to)

    def exact(value: float) -> Any:
        if not math.isfinite(value):
            return FAILED
        truncated = math.trunc(value)
        return truncated if -half(to) <= truncated < half(to) else FAILED

    expected = [None if v is None else java(v) for v in rows]
    check(k, lambda a: k.cast.float_to_integer(a, to), [(rows, source)], to, expected)
    checked = [None if v is None else exact(v) for v in rows]
    check_checked(
        k, lambda a: k.cast.float_to_integer_checked(a, to), [(rows, source)], to, checked
    )
    fine = [row for row, value in zip(rows, checked, strict=True) if value is not FAILED]
    check_checked(
        k,
        lambda a: k.cast.float_to_integer_checked(a, to),
        [(fine, source)],
        to,
        [value for value in checked if value is not FAILED],
    )


def _as_float(value: float) -> float:
    (result,) = struct.unpack("<f", struct.pack("<f", value))
    return float(result)


@pytest.mark.parametrize("type", INTEGRAL, ids=lambda t: t.name)
def test_integers_to_booleans(k: Kernels, type: DataType) -> None:
    rows = [0, 1, -half(type), None]
    check(k, k.cast.to_boolean, [(rows, type)], BOOLEAN, [False, True, True, None])


@pytest.mark.parametrize("type", [FLOAT, DOUBLE], ids=lambda t: t.name)
def test_floats_to_booleans(k: Kernels, type: DataType) -> None:
    rows = [0.0, -0.0, 1e-40, math.nan, -math.inf, None]
    check(k, k.cast.to_boolean, [(rows, type)], BOOLEAN, [False, False, True, True, True, None])


@pytest.mark.parametrize("type", INTEGRAL, ids=lambda t: t.name)
def test_integers_to_strings(k: Kernels, type: DataType) -> None:
    rows = [0, -1, 100, -half(type), half(type) - 1, None]
    expected = [None if v is None else str(v) for v in rows]
    check(k, k.cast.integer_to_string, [(rows, type)], STRING, expected)


def test_booleans_to_strings(k: Kernels) -> None:
    check(
        k, k.cast.boolean_to_string, [([True, False, None], BOOLEAN)], STRING,
        ["true", "false", None],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "to"),
    [
        (INTEGER, DATE),
        (DATE, INTEGER),
        (LONG, TIMESTAMP),
        (TIMESTAMP, LONG),
        (TIMESTAMP, TIMESTAMP_NTZ),
        (TIMESTAMP_NTZ, LONG),
        (LONG, LONG),
    ],
    ids=str,
)
def test_reinterpret(k: Kernels, source: DataType, to: DataType) -> None:
    end = 2**31 if source in (INTEGER, DATE) else 2**63
    rows = [0, -1, end - 1, -end, None]
    check(k, lambda a: k.cast.reinterpret(a, to), [(rows, source)], to, rows)
    for value in rows:
        one = k.cast.reinterpret(scalar(k, value, source), to)
        assert k.columns.is_scalar(one)
        assert values(k, k.columns.full(one, 2), to) == [value] * 2


TEXTS = {
    0.0: "0.0", 1.0: "1.0", -12.5: "-12.5", 0.1: "0.1", 0.001: "0.001",
    0.00099: "9.9E-4", 1e-5: "1.0E-5", -1.5e-7: "-1.5E-7", 9999999.0: "9999999.0", 1e7: "1.0E7",
    12345678.9: "1.23456789E7", 1e10: "1.0E10", 120000000.0: "1.2E8", 1.5e300: "1.5E300",
    9007199254740992.0: "9.007199254740992E15", math.inf: "Infinity", -math.inf: "-Infinity",
}  # fmt: skip
"""Texts that all versions of Java write."""


@pytest.mark.parametrize("shortest", [False, True])
def test_doubles_to_strings(k: Kernels, *, shortest: bool) -> None:
    own = {69794311283078528.0: ("6.9794311283078528E16", "6.979431128307853E16")}
    own[2.0**60] = ("1.15292150460684698E18", "1.152921504606847E18")
    cases = [*TEXTS.items(), *((number, texts[shortest]) for number, texts in own.items())]
    rows = [*(number for number, _ in cases), -0.0, math.nan, None]
    expected = [*(text for _, text in cases), "-0.0", "NaN", None]
    for count in (2, len(rows)):
        chosen = [(rows[:count], DOUBLE)]
        texts = expected[:count]
        check(k, lambda a: k.cast.float_to_string(a, shortest=shortest), chosen, STRING, texts)


def test_floats_to_strings(k: Kernels) -> None:
    cases = {0.1: "0.1", 1.5: "1.5", -3.0: "-3.0", 1e10: "1.0E10", 16777218.0: "1.6777218E7"}
    rows = [*cases, 2.43293099e13, None]
    old, new = "2.43293099E13", "2.432931E13"
    for shortest, text in ((False, old), (True, new)):
        expected = [*cases.values(), text, None]
        check(
            k,
            lambda a, shortest=shortest: k.cast.float_to_string(a, shortest=shortest),
            [(rows, FLOAT)],
            STRING,
            expected,
        )


@pytest.mark.parametrize("number", [5e-324, 2e23, 2.0**-24, 2.0**100])
def test_digits_that_only_old_versions_of_java_know(k: Kernels, number: float) -> None:
    with pytest.raises(EngineLimit, match="the text of a"):
        k.cast.float_to_string(array(k, [1.0, number], DOUBLE), shortest=False)
