"""Registers of six bits in words of 64 bits, as Spark keeps those of HyperLogLog++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Array, Kernels

REGISTERS = 10
"""Number of registers in a word."""
_BITS = 6


@dataclass(frozen=True, slots=True)
class Entries:
    """Values of registers, each of the group with that number; all are int64."""

    numbers: Array
    registers: Array
    values: Array


def packed(k: Kernels, entries: Entries, size: int, words: int) -> list[Array]:
    """The words of each of `size` groups, with the greatest value of each register."""
    width = k.columns.scalar(words * REGISTERS, LONG)
    ten, six = k.columns.scalar(REGISTERS, LONG), k.columns.scalar(_BITS, LONG)
    places = k.arithmetic.add(k.arithmetic.multiply(entries.numbers, width), entries.registers)
    registers = k.group.group([places], k.columns.length(places))
    (values,) = registers.aggregate([("max", entries.values, 0)])
    (places,) = registers.keys
    moves = k.arithmetic.multiply(k.arithmetic.remainder(places, ten), six)
    moved = k.bits.shift_left(values, k.cast.narrow_integer(moves, INTEGER))
    cells = k.columns.sequence(size * words)
    zeros = k.columns.full(k.columns.scalar(0, LONG), size * words)
    all_cells, all_parts = k.columns.concat(
        [[k.arithmetic.quotient(places, ten), moved], [cells, zeros]]
    )
    grouped = k.group.group([all_cells], k.columns.length(all_cells))
    (sums,) = grouped.aggregate([("sum", all_parts, 0)])
    (in_order,) = k.columns.take([sums], k.sort.order(grouped.keys, [(True, True)]))
    firsts = k.arithmetic.multiply(k.columns.sequence(size), k.columns.scalar(words, LONG))
    return [
        k.columns.take([in_order], k.arithmetic.add(firsts, k.columns.scalar(word, LONG)))[0]
        for word in range(words)
    ]


def unpacked(k: Kernels, numbers: Array, words: Sequence[Array]) -> Entries:
    """The registers that are not 0 of the rows of words, each of the group with that number."""
    zero = k.columns.scalar(0, LONG)
    parts = []
    for number, word in enumerate(words):
        used = k.logic.not_(k.compare.compare("equal", word, zero))
        groups, values = k.columns.filter([numbers, word], used)
        first = k.columns.scalar(number * REGISTERS, LONG)
        parts.append([groups, k.columns.full(first, k.columns.length(groups)), values])
    groups, firsts, values = k.columns.concat(parts)
    entries = []
    for number, value in enumerate(_registers(k, values)):
        used = k.logic.not_(k.compare.compare("equal", value, zero))
        register = k.arithmetic.add(firsts, k.columns.scalar(number, LONG))
        entries.append(k.columns.filter([groups, register, value], used))
    return Entries(*k.columns.concat(entries))


def registers_of(k: Kernels, words: Sequence[Array]) -> Iterator[Array]:
    """The values of each register, int64."""
    for word in words:
        yield from _registers(k, word)


def _registers(k: Kernels, word: Array) -> Iterator[Array]:
    mask: Any = k.columns.scalar((1 << _BITS) - 1, LONG)
    for number in range(REGISTERS):
        move = k.columns.scalar(number * _BITS, INTEGER)
        yield k.bits.and_(k.bits.shift_right_unsigned(word, move), mask)
