"""Integers with known bounds, and the arithmetic of numbers that all kinds of functions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.expressions.traced_calls import FLOOR_QUOTIENT, FLOOR_REMAINDER
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.types import DOUBLE, INTEGRAL_BITS, LONG

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.types import DataType

EXACT = 1 << 53
NAMES = {"+": "Add", "-": "Subtract", "*": "Multiply"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest value that an integer can have."""

    low: int
    high: int

    def within(self, other: Bounds) -> bool:
        """Whether all these values are among the others."""
        return other.low <= self.low and self.high <= other.high

    @property
    def exact(self) -> bool:
        """Whether a double represents each of the values."""
        return self.low >= -EXACT and self.high <= EXACT

    def clipped(self, other: Bounds) -> Bounds:
        """The values that are in both."""
        return Bounds(max(self.low, other.low), min(self.high, other.high))

    def joined(self, other: Bounds) -> Bounds:
        """The values of either."""
        return Bounds(min(self.low, other.low), max(self.high, other.high))


EXACT_BOUNDS = Bounds(-EXACT, EXACT)


def bounds_of(data_type: DataType) -> Bounds:
    """The values of an integral type."""
    bits = INTEGRAL_BITS[data_type.name]
    return Bounds(-(1 << bits - 1), (1 << bits - 1) - 1)


def arithmetic_bounds(operator: str, left: Bounds, right: Bounds) -> Bounds:
    """The bounds of a sum, difference or product."""
    if operator == "+":
        return Bounds(left.low + right.low, left.high + right.high)
    if operator == "-":
        return Bounds(left.low - right.high, left.high - right.low)
    ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Bounds(min(ends), max(ends))


def exact_arithmetic(
    operator: str, left: Expression, right: Expression, bounds: Bounds
) -> tuple[Expression, Bounds]:
    """Integer arithmetic whose overflows are left to Python; `bounds` are those of the result."""
    limits = bounds_of(left.type)
    checked = not bounds.within(limits)
    result = terms.arithmetic(NAMES[operator], left, right, checked=checked)
    return result, bounds.clipped(limits)


def floor_division(
    operator: str,
    left: tuple[Expression, Bounds],
    right: tuple[Expression, Bounds],
    *,
    zero_raises: bool,
) -> tuple[Expression, Bounds]:
    """Python's // or % of integers of one type; a division by zero or an overflow is left to it."""
    (dividend, left_bounds), (divisor, right_bounds) = left, right
    data_type = dividend.type
    limits = bounds_of(data_type)
    if right_bounds.low <= 0 <= right_bounds.high:
        is_zero = terms.compare("==", divisor, Literal(0, data_type))
        guarded = terms.required if zero_raises else terms.guarded
        divisor = guarded(divisor, terms.not_(is_zero))
    if operator == "%":
        low = min(right_bounds.low + 1, 0)
        result = Bounds(low, max(right_bounds.high - 1, 0))
        return terms.call(FLOOR_REMAINDER, data_type, dividend, divisor), result
    size = max(abs(left_bounds.low), abs(left_bounds.high))
    if left_bounds.low == limits.low and right_bounds.low <= -1 <= right_bounds.high:
        least = terms.compare("==", dividend, Literal(limits.low, data_type))
        minus_one = terms.compare("==", divisor, Literal(-1, data_type))
        dividend = terms.guarded(dividend, terms.not_(terms.and_(least, minus_one)))
    result = Bounds(-size, size).clipped(limits)
    return terms.call(FLOOR_QUOTIENT, data_type, dividend, divisor), result


def as_exact_double(value: Expression, bounds: Bounds) -> Expression:
    """An integer as a double that has the same value; others are left to Python."""
    if not bounds.exact:
        value = terms.exact_in_double(terms.cast(value, LONG))
    return terms.cast(value, DOUBLE)
