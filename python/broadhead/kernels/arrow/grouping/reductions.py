"""The aggregates of `interface.Grouping`, computed by pyarrow's own reductions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import exact_sum, wide

if TYPE_CHECKING:
    from broadhead.kernels.interface.group import Request


@dataclass(frozen=True, slots=True)
class Reduction:
    """One of pyarrow's aggregate functions, with its values."""

    function: str
    values: pa.Array


Plan = Generator[list[Reduction], list[pa.Array], Any]
"""Yields the reductions it needs, is sent their results, and returns the aggregate's result."""


class Groups(Protocol):
    """The groups of some rows."""

    length: int
    """Number of rows."""

    def reduce(self, reductions: Sequence[Reduction]) -> list[pa.Array]:
        """The result of each reduction, one row for each group."""

    def spread(self, values: Any) -> Any:
        """The value of each row's group."""


def aggregate(requests: Sequence[Request], groups: Groups) -> list[Any]:
    """The result of each request, with few calls of `reduce` for all their reductions."""
    plans = [_PLANS[asked.kind](asked.values, asked.precision, groups) for asked in requests]
    results: list[Any] = [None] * len(plans)
    answers: dict[int, list[pa.Array]] = {}
    waiting = dict(enumerate(plans))
    while waiting:
        asked: dict[int, list[Reduction]] = {}
        for number, plan in list(waiting.items()):
            try:
                asked[number] = plan.send(answers[number]) if number in answers else next(plan)
            except StopIteration as finished:
                results[number] = finished.value
                del waiting[number]
        answers = _reduced(asked, groups)
    return results


def _reduced(asked: dict[int, list[Reduction]], groups: Groups) -> dict[int, list[pa.Array]]:
    """The results of the reductions that each plan asks for; each is computed once."""
    wanted = {(r.function, id(r.values)): r for own in asked.values() for r in own}
    if not wanted:
        return {number: [] for number in asked}
    found = dict(zip(wanted, groups.reduce(list(wanted.values())), strict=True))
    return {number: [found[r.function, id(r.values)] for r in own] for number, own in asked.items()}


def lists_of_values(values: pa.Array, offsets: Any) -> pa.Array:
    """Lists of the values between neighbouring offsets."""
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def of_rows(reductions: Sequence[Reduction]) -> list[pa.Array]:
    """The reductions of groups that have one row each."""
    return [_OF_ROW[reduction.function](reduction.values) for reduction in reductions]


def _sum_of_row(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        # A sum starts with 0.0, so a single -0.0 sums to 0.0.
        return pc.add(values.cast(pa.float64()), 0.0)
    return values.cast(pa.int64())


_OF_ROW: dict[str, Callable[[pa.Array], pa.Array]] = {
    "sum": _sum_of_row,
    "count": lambda values: pc.is_valid(values).cast(pa.int64()),
    "min": lambda values: values,
    "max": lambda values: values,
    # NaN for NaN and for the infinities.
    "variance": lambda values: pc.subtract(values, values).cast(pa.float64()),
    "list": lambda values: lists_of_values(values, np.arange(len(values) + 1)),
}


def _sum(values: pa.Array, _: int, __: Groups) -> Plan:
    (total,) = yield [Reduction("sum", values)]
    return total


def _sum_checked(values: pa.Array, _: int, groups: Groups) -> Plan:
    if exact_sum.fits_long(values, groups.length):
        (total,) = yield [Reduction("sum", values)]
        return total, None
    above, below = exact_sum.by_sign(values)
    digits = yield [
        Reduction("sum", part) for side in (above, below) for part in exact_sum.split(side)
    ]
    upper, too_high = exact_sum.as_long(digits[:2])
    lower, too_low = exact_sum.as_long(digits[2:])
    masks = [mask for mask in (too_high, too_low) if mask is not None]
    if not masks:
        return pc.add(upper, lower), None
    failed = masks[0] if len(masks) == 1 else pc.or_(*masks)
    return logic.null_where(pc.add(upper, lower), failed), failed


def _sum_unscaled(values: pa.Array, precision: int, groups: Groups) -> Plan:
    length = groups.length
    if exact_sum.may_pass(values, length, precision):
        return (yield from _sum_of_signs(values, precision))
    fitting = wide.narrow(values)
    if fitting is not None and exact_sum.fits_long(fitting, length):
        (total,) = yield [Reduction("sum", fitting)]
        if exact_sum.digit_bound(fitting, length, precision):
            return total, None
    else:
        digits = yield [Reduction("sum", part) for part in exact_sum.split(values)]
        total, failed = exact_sum.as_unscaled(digits)
        if failed is not None:
            return _beyond(total, precision, failed)
    return _beyond(total, precision, None)


def _sum_of_signs(values: pa.Array, precision: int) -> Plan:
    """The sum of the positive values and the sum of the negative ones; neither may overflow."""
    sides = [exact_sum.split(side) for side in exact_sum.by_sign(values)]
    digits = yield [Reduction("sum", part) for side in sides for part in side]
    count = len(sides[0])
    above, below = digits[:count], digits[count:]
    masks = []
    for side in (above, below):
        total, beyond = exact_sum.as_unscaled(side)
        masks += [beyond, exact_sum.exceeds(total, precision)]
    total, _ = exact_sum.as_unscaled([pc.add(*parts) for parts in zip(above, below, strict=True)])
    found = [mask for mask in masks if mask is not None]
    if not found:
        return total, None
    failed = functools.reduce(pc.or_, found)
    return logic.null_where(total, failed), failed


def _beyond(total: pa.Array, precision: int, failed: pa.Array | None) -> tuple[Any, Any]:
    mask = exact_sum.exceeds(total, precision)
    if failed is not None:
        mask = failed if mask is None else pc.or_(mask, failed)
    return (total, None) if mask is None else (logic.null_where(total, mask), mask)


def _count(values: pa.Array, _: int, __: Groups) -> Plan:
    (count,) = yield [Reduction("count", values)]
    return count


def _extreme(function: str) -> Callable[[pa.Array, int, Groups], Plan]:
    def plan(values: pa.Array, _: int, __: Groups) -> Plan:
        nans = pc.is_nan(values) if pa.types.is_floating(values.type) else None
        if nans is None or not logic.any(nans):
            (result,) = yield [Reduction(function, values)]
            return result
        nans = logic.is_true(nans)
        numbers = logic.null_where(values, nans)
        result, found = yield [
            Reduction(function, numbers),
            Reduction("sum", nans.cast(pa.int64())),
        ]
        has_nan = pc.greater(found, 0)
        wins = has_nan if function == "max" else pc.and_(has_nan, pc.is_null(result))
        return logic.if_else(wins, pa.scalar(float("nan"), values.type), result)

    return plan


def _by_row(function: str, *, skip_nulls: bool) -> Callable[[pa.Array, int, Groups], Plan]:
    def plan(values: pa.Array, _: int, groups: Groups) -> Plan:
        rows = pa.array(np.arange(groups.length, dtype=np.int64))
        if skip_nulls and values.null_count:
            rows = logic.null_where(rows, pc.is_null(values))
        (chosen,) = yield [Reduction(function, rows)]
        return views.contiguous(pc.take(values, chosen, boundscheck=False))

    return plan


def _moment2(values: pa.Array, _: int, __: Groups) -> Plan:
    variance, count = yield [Reduction("variance", values), Reduction("count", values)]
    return pc.multiply(variance, count.cast(pa.float64()))


def _last_of(function: str) -> Callable[[pa.Array, int, Groups], Plan]:
    extreme = _extreme(function)

    def plan(values: pa.Array, _: int, groups: Groups) -> Plan:
        best = groups.spread((yield from extreme(values, 0, groups)))
        chosen = pc.equal(values, best)
        if pa.types.is_floating(values.type):
            chosen = pc.or_kleene(chosen, pc.and_(pc.is_nan(values), pc.is_nan(best)))
        rows = pa.array(np.arange(groups.length, dtype=np.int64))
        (last,) = yield [Reduction("max", logic.null_where(rows, pc.invert(logic.is_true(chosen))))]
        return last

    return plan


def _bits(operation: np.ufunc, identity: int) -> Callable[[pa.Array, int, Groups], Plan]:
    def plan(values: pa.Array, _: int, __: Groups) -> Plan:
        dtype = views.dtype(values.type)
        filled = pc.fill_null(values, identity) if values.null_count else values
        lists, count = yield [Reduction("list", filled), Reduction("count", values)]
        offsets = views.values(lists.offsets)
        members = views.values(lists.values)[: offsets[-1]]
        filled_groups = np.flatnonzero(np.diff(offsets))
        result = np.full(len(lists), identity, dtype)
        if len(filled_groups):
            result[filled_groups] = operation.reduceat(members, offsets[filled_groups])
        return logic.null_where(views.array(result, values.type), pc.equal(count, 0))

    return plan


_PLANS: dict[str, Callable[[Any, int, Groups], Plan]] = {
    "sum": _sum,
    "sum_checked": _sum_checked,
    "sum_unscaled": _sum_unscaled,
    "count": _count,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "first": _by_row("min", skip_nulls=False),
    "last": _by_row("max", skip_nulls=False),
    "first_valid": _by_row("min", skip_nulls=True),
    "last_valid": _by_row("max", skip_nulls=True),
    "moment2": _moment2,
    "last_of_min": _last_of("min"),
    "last_of_max": _last_of("max"),
    "bit_and": _bits(np.bitwise_and, -1),
    "bit_or": _bits(np.bitwise_or, 0),
    "bit_xor": _bits(np.bitwise_xor, 0),
}
