"""Operations on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import BYTE, INTEGER, INTEGRAL_BITS, LONG, SHORT, DataType
from kernels.physical import check

INTEGERS = pytest.mark.parametrize("type", [BYTE, SHORT, INTEGER, LONG], ids=lambda t: t.name)
SHIFTED = pytest.mark.parametrize("type", [INTEGER, LONG], ids=lambda t: t.name)
COUNTS = [0, 1, 5, 31, 32, 33, 63, 64, 65, -1, -33, 2**31 - 1, -(2**31), None]


def numbers(type: DataType) -> list[int | None]:
    half = 1 << (INTEGRAL_BITS[type.name] - 1)
    return [-half, -half + 5, -1, 0, 1, 6, half // 3, half - 1, None]


def signed(value: int, type: DataType) -> int:
    half = 1 << (INTEGRAL_BITS[type.name] - 1)
    return (value + half) % (2 * half) - half


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "and_": int.__and__,
    "or_": int.__or__,
    "xor": int.__xor__,
}


@INTEGERS
@pytest.mark.parametrize("name", OPERATIONS)
def test_two_integers(k: Kernels, name: str, type: DataType) -> None:
    left, right = map(list, zip(*product(numbers(type), repeat=2), strict=True))
    expected = [
        None if a is None or b is None else OPERATIONS[name](a, b)
        for a, b in zip(left, right, strict=True)
    ]
    check(k, getattr(k.bits, name), [(left, type), (right, type)], type, expected)


@INTEGERS
def test_not(k: Kernels, type: DataType) -> None:
    rows = numbers(type)
    check(k, k.bits.not_, [(rows, type)], type, [None if n is None else ~n for n in rows])


SHIFTS: dict[str, Callable[[int, int, int], int]] = {
    "shift_left": lambda number, count, _: number << count,
    "shift_right": lambda number, count, _: number >> count,
    "shift_right_unsigned": lambda number, count, width: (number % (1 << width)) >> count,
}


@SHIFTED
@pytest.mark.parametrize("name", SHIFTS)
def test_shifts_take_the_low_bits_of_the_count(k: Kernels, name: str, type: DataType) -> None:
    width = INTEGRAL_BITS[type.name]
    data, counts = map(list, zip(*product(numbers(type), COUNTS), strict=True))
    expected = [
        None if n is None or c is None else signed(SHIFTS[name](n, c % width, width), type)
        for n, c in zip(data, counts, strict=True)
    ]
    check(k, getattr(k.bits, name), [(data, type), (counts, INTEGER)], type, expected)


def test_leading_zeros(k: Kernels) -> None:
    rows = [0, None, -1, -(2**63), *(n for bit in range(63) for n in (1 << bit, (2 << bit) - 1))]
    expected = [None if n is None else 64 - (n % 2**64).bit_length() for n in rows]
    check(k, k.bits.leading_zeros, [(rows, LONG)], LONG, expected)
