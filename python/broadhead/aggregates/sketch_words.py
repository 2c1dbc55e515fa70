"""Registers of six bits in words of 64 bits, as Spark keeps those of HyperLogLog++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.kernels.interface.group import Request
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
    indices = k.arithmetic.add(k.arithmetic.multiply(entries.numbers, width), entries.registers)
    registers = k.group.group([indices], k.columns.length(indices))
    (values,) = registers.aggregate([Request("max", entries.values)])
    (indices,) = registers.keys
    moves = k.arithmetic.multiply(k.arithmetic.remainder(indices, ten), six)
    moved = k.bits.shift_left(values, k.cast.narrow_integer(moves, INTEGER))
    cells = k.arithmetic.quotient(indices, ten)
    grouped = k.group.group([cells], k.columns.length(cells))
    (sums,) = grouped.aggregate([Request("sum", moved)])
    # the first word of all groups, then the second one
    count = k.columns.scalar(words, LONG)
    number = k.arithmetic.quotient(grouped.keys[0], count)
    word = k.arithmetic.remainder(grouped.keys[0], count)
    columns = k.columns.scalar(size, LONG)
    positions = k.arithmetic.add(k.arithmetic.multiply(word, columns), number)
    zero = k.columns.scalar(0, LONG)
    all_words = k.logic.coalesce([k.columns.put(sums, positions, size * words), zero])
    return [k.columns.slice([all_words], size * index, size)[0] for index in range(words)]


def unpacked(k: Kernels, numbers: Array, words: Sequence[Array]) -> Entries:
    """The registers that are not 0 of the rows of words, each of the group with that number."""
    zero = k.columns.scalar(0, LONG)
    (joined,) = k.columns.concat([[word] for word in words])
    cells = k.columns.sequence(k.columns.length(joined))
    used = k.logic.not_(k.compare.compare("equal", joined, zero))
    cells, values = k.columns.filter([cells, joined], used)
    size = k.columns.scalar(max(k.columns.length(numbers), 1), LONG)
    (groups,) = k.columns.take([numbers], k.arithmetic.remainder(cells, size))
    ten = k.columns.scalar(REGISTERS, LONG)
    firsts = k.arithmetic.multiply(k.arithmetic.quotient(cells, size), ten)
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
