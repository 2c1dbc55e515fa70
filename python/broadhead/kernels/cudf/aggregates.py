"""Each kind of aggregate, composed of libcudf's plain aggregates.

A plan lists the plain aggregates that it needs, each over a column as long as the input, and
computes the result from theirs (one row for each group).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.types import NullOrder, NullPolicy, Order
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf import columns
from broadhead.kernels.cudf.decimal import exceeds
from broadhead.kernels.cudf.physical import (
    BOOL,
    DECIMAL128,
    FLOAT64,
    FLOATS,
    INT32,
    INT64,
    INTEGER_BITS,
    LONG_MAX,
    LONG_MIN,
    NESTED,
    Column,
    any_true,
    binary,
    bounds,
    cast,
    choose,
    compact,
    constant,
    expand,
    failed,
    is_true,
    null_where,
    test,
    with_type,
)
from broadhead.kernels.cudf.rows import take_rows
from broadhead.kernels.interface.group import Request
from broadhead.types import BINARY, MAX_LONG_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broadhead.kernels.interface.group import Kind


_BEYOND_UNICODE = b"\xf7\xbf\xbf\xbf"
"""libcudf's initial value for a minimum of strings: no Unicode string exceeds it, but binaries may.
"""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One of libcudf's aggregates of a column."""

    name: Literal["sum", "count", "min", "max"]
    values: Column

    @property
    def sorts(self) -> bool:
        """True if libcudf computes it only for sorted groups; it then sorts for the whole call."""
        wide = self.values.type().id() == TypeId.DECIMAL128
        return wide and self.name in {"min", "max"}

    def make(self) -> plc.aggregation.Aggregation:
        """A new aggregation object for libcudf."""
        if self.name == "count":
            return plc.aggregation.count(NullPolicy.EXCLUDE)
        return getattr(plc.aggregation, self.name)()

    def of_rows(self) -> Column:
        """The aggregate of each single row."""
        if self.name == "count":
            return cast(plc.unary.is_valid(self.values), INT64)
        if self.name == "sum" and self.values.type().id() in FLOATS:
            # A sum starts with 0.0, so a single -0.0 sums to 0.0.
            zero = constant(0.0, FLOAT64)
            return binary(self.values, BinaryOperator.ADD, zero, FLOAT64)
        return self.values

    def reduced(self) -> Column:
        """The aggregate of all rows, as one row."""
        values = self.values
        if self.name == "count":
            return plc.Column.from_scalar(constant(values.size() - values.null_count(), INT64), 1)
        data_type = values.type()
        if values.size() == values.null_count():
            # libcudf has no minimum of an empty column for every type
            return plc.Column.all_null_like(values, 1)
        if self.name == "sum":
            data_type = INT64 if data_type.id() in INTEGER_BITS else data_type
        if self.name == "min" and data_type.id() == TypeId.STRING:
            return _least_text(values)
        return plc.Column.from_scalar(plc.reduce.reduce(values, self.make(), data_type), 1)


def _least_text(values: Column) -> Column:
    """The minimum of strings or binaries, not all null, as one row."""
    least = plc.Column.from_scalar(
        plc.reduce.reduce(values, plc.aggregation.min(), values.type()), 1
    )
    if columns.to_arrow(least, BINARY)[0].as_py() != _BEYOND_UNICODE:
        return least
    order = plc.sorting.stable_sorted_order(
        plc.Table([values]), [Order.ASCENDING], [NullOrder.AFTER]
    )
    (first,) = columns.slice([order], 0, 1)
    return take_rows([values], first)[0]


@dataclass(frozen=True, slots=True)
class Plan:
    """The plain aggregates of one request, and the result computed from theirs."""

    aggregates: tuple[Aggregate, ...]
    finish: Callable[[Sequence[Column]], Any]


class Groups(Protocol):
    """The groups' properties that a plan may use."""

    length: int
    """Number of input rows."""

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """The results of other requests."""

    def spread(self, values: Column) -> Column:
        """The value of the group, for each input row."""


def plan(request: Request, groups: Groups) -> Plan:
    """The plan of a request."""
    kind, values = request.kind, request.values
    if kind == "sum_unscaled":
        return _sum_unscaled(values, request.precision)
    if kind == "moment2":
        return _moment2(values, groups)
    if kind in {"first", "last", "first_valid", "last_valid"}:
        return _by_row(kind, values, groups.length)
    if kind in {"last_of_min", "last_of_max"}:
        return _last_of("min" if kind == "last_of_min" else "max", values, groups)
    return _PLANS[kind](values)


def _sum(values: Column) -> Plan:
    kind = values.type().id()
    if kind in FLOATS:
        return Plan((Aggregate("sum", cast(values, FLOAT64)),), lambda r: r[0])
    return Plan((Aggregate("sum", cast(values, INT64)),), lambda r: cast(r[0], INT64))


def _count(values: Column) -> Plan:
    if values.type().id() in NESTED:
        # libcudf would sort for nested values; these have the same nulls
        zeros = expand(constant(0, INT32), values.size())
        values = null_where(zeros, plc.unary.is_null(values))
    return Plan((Aggregate("count", values),), lambda r: cast(r[0], INT64))


def _fits(values: Column) -> bool:
    """Whether every sum of these values fits in int64."""
    low, high = bounds(values)
    return max(-low, high) * max(int(values.size()), 1) <= LONG_MAX


def _halves(values: Column) -> tuple[Aggregate, Aggregate]:
    """int64 as its high and low 32 bits, whose sums cannot overflow."""
    bits = constant(32, INT64)
    low = binary(values, BinaryOperator.BITWISE_AND, constant((1 << 32) - 1, INT64), INT64)
    high = binary(values, BinaryOperator.SHIFT_RIGHT, bits, INT64)
    return Aggregate("sum", high), Aggregate("sum", low)


def _joined(parts: Sequence[Column], base: int) -> Column:
    """The 128-bit number with these digits of a base, highest first."""
    total = cast(parts[0], DECIMAL128)
    for part in parts[1:]:
        shifted = binary(total, BinaryOperator.MUL, constant(base, DECIMAL128), DECIMAL128)
        total = binary(shifted, BinaryOperator.ADD, cast(part, DECIMAL128), DECIMAL128)
    return total


def _by_sign(values: Column) -> tuple[Column, Column]:
    """The positive and the negative values, with 0 for the others."""
    zero = constant(0, values.type())
    above = choose(test(values, BinaryOperator.GREATER, zero), values, zero)
    below = choose(test(values, BinaryOperator.LESS, zero), values, zero)
    # null stays null, so that the sum of a group without values is null
    missing = plc.unary.is_null(values)
    return null_where(above, missing), null_where(below, missing)


def _sum_checked(values: Column) -> Plan:
    values = cast(values, INT64)
    if _fits(values):
        return Plan((Aggregate("sum", values),), lambda r: (r[0], None))
    above, below = _by_sign(values)

    def finish(results: Sequence[Column]) -> tuple[Column, Column | None]:
        upper, lower = _joined(results[:2], 1 << 32), _joined(results[2:], 1 << 32)
        wrong = test(
            test(lower, BinaryOperator.LESS, constant(LONG_MIN, DECIMAL128)),
            BinaryOperator.LOGICAL_OR,
            test(upper, BinaryOperator.GREATER, constant(LONG_MAX, DECIMAL128)),
        )
        total = binary(upper, BinaryOperator.ADD, lower, DECIMAL128)
        return failed(cast(total, INT64), wrong)

    return Plan((*_halves(above), *_halves(below)), finish)


def _sum_unscaled(values: Column, precision: int) -> Plan:
    values = compact(values)
    low, high = bounds(values)
    if not low < 0 < high or max(-low, high) * int(values.size()) < 10**precision:
        return _sum_of_values(values, precision)
    plans = [_sum_of_values(side, precision) for side in _by_sign(values)]
    count = len(plans[0].aggregates)

    def finish(results: Sequence[Column]) -> tuple[Column, Column | None]:
        """The sums of both signs; neither may overflow."""
        parts = (results[:count], results[count:])
        (above, too_high), (below, too_low) = (
            plan.finish(part) for plan, part in zip(plans, parts, strict=True)
        )
        wide = [cast(side, DECIMAL128) for side in (above, below)]
        total = binary(wide[0], BinaryOperator.ADD, wide[1], DECIMAL128)
        masks = [mask for mask in (too_high, too_low) if mask is not None]
        wrong = functools.reduce(_either, masks) if masks else None
        return _typed(total, precision), wrong

    return Plan((*plans[0].aggregates, *plans[1].aggregates), finish)


def _either(left: Column, right: Column) -> Column:
    return test(left, BinaryOperator.LOGICAL_OR, right)


def _sum_of_values(values: Column, precision: int) -> Plan:
    """The fastest exact sum of values whose intermediate sums cannot overflow."""
    if values.type().id() == TypeId.DECIMAL128:
        return Plan(_digits(values), lambda r: _checked_wide(r, precision))
    if _fits(values):
        return Plan((Aggregate("sum", values),), lambda r: _checked(r[0], precision))
    return Plan(_halves(values), lambda r: _checked(_joined(r, 1 << 32), precision))


_DIGIT = 10**10


def _digits(values: Column) -> tuple[Aggregate, ...]:
    """128 bits as four signed digits of base 10^10, whose sums fit int64.

    libcudf's own 128-bit sum is a hundred times slower beyond 128 groups (cudf issue 24026).
    """
    base = constant(_DIGIT, DECIMAL128)
    digits = []
    for _ in range(3):
        digits.append(cast(binary(values, BinaryOperator.MOD, base, DECIMAL128), INT64))
        values = binary(values, BinaryOperator.DIV, base, DECIMAL128)
    digits.append(cast(values, INT64))
    return tuple(Aggregate("sum", digit) for digit in reversed(digits))


# Bounds in units of 10^30: beyond the first a total has more than 38 digits, below the second it
# fits in 128 bits.
_TOO_GREAT = 150_000_000


def _checked_wide(results: Sequence[Column], precision: int) -> tuple[Column, Column | None]:
    """The total of the digits' sums, which may have more than 128 bits."""
    carried = binary(results[1], BinaryOperator.DIV, constant(_DIGIT, INT64), INT64)
    top = binary(results[0], BinaryOperator.ADD, carried, INT64)
    low, high = bounds(top)
    if low > -_TOO_GREAT and high < _TOO_GREAT:
        return _checked(_joined(results, _DIGIT), precision)
    magnitude = plc.unary.unary_operation(top, UnaryOperator.ABS)
    beyond = is_true(test(magnitude, BinaryOperator.GREATER_EQUAL, constant(_TOO_GREAT, INT64)))
    rest = [null_where(results[0], beyond), *results[1:]]
    total, wrong = _checked(_joined(rest, _DIGIT), precision)
    return total, beyond if wrong is None else _either(beyond, wrong)


def _checked(total: Column, precision: int) -> tuple[Column, Column | None]:
    wrong = exceeds(total, precision)
    if wrong is not None:
        total = null_where(total, wrong)
    return _typed(total, precision), wrong


def _typed(total: Column, precision: int) -> Column:
    return with_type(total, INT64) if precision <= MAX_LONG_DIGITS else compact(total)


def _extreme(name: Literal["min", "max"], values: Column) -> Plan:
    if values.type() == BOOL:
        return Plan((Aggregate(name, cast(values, INT32)),), lambda r: cast(r[0], BOOL))
    if values.type().id() not in FLOATS:
        return Plan((Aggregate(name, values),), lambda r: r[0])
    nan = plc.unary.is_nan(values)
    if not any_true(nan):
        return Plan((Aggregate(name, values),), lambda r: r[0])
    data_type = values.type()
    numbers = null_where(values, nan)
    not_a_number = constant(float("nan"), data_type)
    flags = null_where(cast(nan, INT32), plc.unary.is_null(values))

    def finish(results: Sequence[Column]) -> Column:
        some_nan = test(results[1], BinaryOperator.EQUAL, constant(1, INT32))
        # the greatest is NaN if there is one; the least is NaN only if all are
        if name == "min":
            no_number = plc.unary.is_null(results[0])
            some_nan = test(some_nan, BinaryOperator.LOGICAL_AND, no_number)
        return choose(some_nan, not_a_number, results[0])

    return Plan((Aggregate(name, numbers), Aggregate("max", flags)), finish)


def _by_row(kind: Kind, values: Column, length: int) -> Plan:
    """The first or last value, by the least or greatest row id; works for every type."""
    numbers = plc.filling.sequence(length, constant(0, INT32), constant(1, INT32))
    if kind.endswith("_valid") and values.null_count():
        numbers = null_where(numbers, plc.unary.is_null(values))
    name: Literal["min", "max"] = "min" if kind.startswith("first") else "max"
    return Plan((Aggregate(name, numbers),), lambda r: take_rows([values], r[0])[0])


def _moment2(values: Column, groups: Groups) -> Plan:
    """In two passes: libcudf's own subtracts two large sums, which loses digits."""
    doubles = cast(values, FLOAT64)
    total, count = groups.aggregate([Request("sum", doubles), Request("count", doubles)])
    mean = binary(total, BinaryOperator.DIV, cast(count, FLOAT64), FLOAT64)
    away = binary(doubles, BinaryOperator.SUB, groups.spread(mean), FLOAT64)
    squares = binary(away, BinaryOperator.MUL, away, FLOAT64)
    return Plan((Aggregate("sum", squares),), lambda r: r[0])


def _last_of(kind: Literal["min", "max"], values: Column, groups: Groups) -> Plan:
    """The greatest row number among the rows that have the extreme."""
    (extreme,) = groups.aggregate([Request(kind, values)])
    best = groups.spread(extreme)
    chosen = test(values, BinaryOperator.EQUAL, best)
    if values.type().id() in FLOATS:
        nan = test(plc.unary.is_nan(values), BinaryOperator.LOGICAL_AND, plc.unary.is_nan(best))
        chosen = test(is_true(chosen), BinaryOperator.LOGICAL_OR, is_true(nan))
    others = plc.unary.unary_operation(is_true(chosen), UnaryOperator.NOT)
    numbers = plc.filling.sequence(groups.length, constant(0, INT32), constant(1, INT32))
    rows = Aggregate("max", null_where(numbers, others))
    return Plan((rows,), lambda r: cast(r[0], INT64))


def _bits(name: Literal["min", "max", "sum"]) -> Callable[[Column], Plan]:
    """And is the least of each bit, or the greatest, exclusive or their sum's last bit."""

    def plan(values: Column) -> Plan:
        data_type = values.type()
        wide = cast(values, INT64)
        count = INTEGER_BITS[data_type.id()]
        one = constant(1, INT64)
        bits = []
        for number in range(count):
            moved = binary(wide, BinaryOperator.SHIFT_RIGHT, constant(number, INT64), INT64)
            bits.append(cast(binary(moved, BinaryOperator.BITWISE_AND, one, INT64), INT32))

        def finish(results: Sequence[Column]) -> Column:
            total = None
            for number, result in enumerate(results):
                bit = binary(cast(result, INT64), BinaryOperator.BITWISE_AND, one, INT64)
                moved = binary(bit, BinaryOperator.SHIFT_LEFT, constant(number, INT64), INT64)
                joined = (
                    moved
                    if total is None
                    else binary(total, BinaryOperator.BITWISE_OR, moved, INT64)
                )
                total = joined
            return cast(total, data_type)

        return Plan(tuple(Aggregate(name, bit) for bit in bits), finish)

    return plan


_PLANS: dict[str, Callable[[Column], Plan]] = {
    "sum": _sum,
    "sum_checked": _sum_checked,
    "count": _count,
    "min": lambda values: _extreme("min", values),
    "max": lambda values: _extreme("max", values),
    "bit_and": _bits("min"),
    "bit_or": _bits("max"),
    "bit_xor": _bits("sum"),
}
