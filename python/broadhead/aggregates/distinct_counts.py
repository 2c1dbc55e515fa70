"""approx_count_distinct: HyperLogLog++ with Spark's hash, registers and correction."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.sketch_words import REGISTERS, Entries, packed, registers_of, unpacked
from broadhead.aggregates.whole_groups import members
from broadhead.columns import Column
from broadhead.functions.registry import ATOMIC
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import DOUBLE, INTEGER, LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

SEED = 42
NEIGHBOURS = 6
"""Number of known estimates whose biases are averaged."""
CORRECTED = 5.0
"""Up to this multiple of the number of registers an estimate is corrected."""
HASH_BITS = 64
SUM_BITS = 53
"""Bits of a double: with no more between its greatest and its least term, a sum is exact."""


@aggregate(
    "approx_count_distinct",
    spark="HyperLogLogPlusPlus",
    signatures=[Signature((ATOMIC,), frozenset({"long"}))],
    fields={"threshold": "any", "estimates": "any", "biases": "any"},
)
class HyperLogLogPlusPlus:
    """Buffers: words of registers, which have the longest runs of zeros in the values' hashes.

    SELECT approx_count_distinct(name)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The registers of rows."""
        yield from ()
        (values,) = inputs
        data = k.compare.normalize(values.data)
        hashes = k.hash.xxhash64([data], [values.type], k.columns.length(data), SEED)
        hashes = k.logic.null_where(hashes, k.logic.is_null(values.data))
        # A row may be in several groups: those of window frames.
        found = members(k, grouping, hashes)
        bits = _bits(call)
        registers = k.bits.shift_right_unsigned(found.values, _int(k, HASH_BITS - bits))
        padding = k.columns.scalar(1 << (bits - 1), LONG)
        rest = k.bits.or_(k.bits.shift_left(found.values, _int(k, bits)), padding)
        ranks = k.arithmetic.add(k.bits.leading_zeros(rest), k.columns.scalar(1, LONG))
        entries = Entries(found.numbers(k), registers, ranks)
        return _words(k, packed(k, entries, grouping.size, len(call.buffers)))

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """The greatest of each register."""
        yield from ()
        numbers = grouping.spread(k.columns.sequence(grouping.size))
        entries = unpacked(k, numbers, [buffer.data for buffer in buffers])
        return _words(k, packed(k, entries, grouping.size, len(call.buffers)))

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The estimate."""
        inverse, empty = _summed(k, call, [buffer.data for buffer in buffers])
        scale = k.columns.scalar(_scale(1 << _bits(call)), DOUBLE)
        estimate = k.arithmetic.divide(scale, inverse)
        return _rounded(k, _corrected(k, call, estimate, empty))


def _summed(k: Kernels, call: AggregateCall, words: Sequence[Array]) -> tuple[Any, Any]:
    """The sum of a half to the power of each register, and the number of registers of 0."""
    size = k.columns.length(words[0])
    bits = _bits(call)
    entries = unpacked(k, k.columns.sequence(size), words)
    most = k.columns.scalar(SUM_BITS - bits, LONG)
    if k.logic.any(k.compare.compare("less", most, entries.values)):
        return _summed_in_order(k, words, 1 << bits)
    (shares,) = k.columns.take([_shares(k)], entries.values)
    # a register of 0 for each group, so that all of them are there
    numbers = k.columns.concat([[entries.numbers], [k.columns.sequence(size)]])
    parts = k.columns.concat([[shares], [k.columns.full(k.columns.scalar(0.0, DOUBLE), size)]])
    groups = k.group.group(numbers, k.columns.length(numbers[0]))
    total, count = groups.aggregate([Request("sum", parts[0]), Request("count", parts[0])])
    order = k.sort.order(groups.keys, [(True, True)])
    total, count = k.columns.take([total, count], order)
    empty = k.arithmetic.subtract(k.columns.scalar((1 << bits) + 1, LONG), count)
    return k.arithmetic.add(total, k.cast.widen(empty, DOUBLE)), empty


def _summed_in_order(k: Kernels, words: Sequence[Array], count: int) -> tuple[Any, Any]:
    """The same, added up one after the other where a sum may be rounded, as Spark does."""
    shares, zero = _shares(k), k.columns.scalar(0, LONG)
    inverse: Any = k.columns.scalar(0.0, DOUBLE)
    empty: Any = zero
    for rank in islice(registers_of(k, words), count):
        (share,) = k.columns.take([shares], rank)
        inverse = k.arithmetic.add(inverse, share)
        is_empty = k.cast.widen(k.compare.compare("equal", rank, zero), LONG)
        empty = k.arithmetic.add(empty, is_empty)
    return inverse, empty


def _shares(k: Kernels) -> Array:
    return _table(k, [1.0 / (1 << rank) for rank in range(HASH_BITS)])


def _bits(call: AggregateCall) -> int:
    """The bits of a hash that say its register."""
    return (len(call.buffers) * REGISTERS).bit_length() - 1


def _words(k: Kernels, words: Sequence[Array]) -> list[Column]:
    return [Column(word, LONG) for word in words]


def _int(k: Kernels, number: int) -> Any:
    return k.columns.scalar(number, INTEGER)


def _scale(count: int) -> float:
    """Alpha times the square of the number of registers."""
    alpha = {16: 0.673, 32: 0.697, 64: 0.709}.get(count, 0.7213 / (1.0 + 1.079 / count))
    return alpha * count * count


def _corrected(k: Kernels, call: AggregateCall, estimate: Array, empty: Array) -> Array:
    """The count by the share of empty registers if it is small, else the estimate without bias."""
    count = 1 << _bits(call)
    linear = _table(k, [math.inf, *(count * math.log(count / e) for e in range(1, count + 1))])
    (by_share,) = k.columns.take([linear], empty)
    threshold = dict(call.fields)["threshold"]
    small = k.logic.or_(
        k.compare.compare("less_equal", by_share, k.columns.scalar(threshold, DOUBLE)),
        k.compare.compare("less_equal", estimate, k.columns.scalar(2.5 * count, DOUBLE)),
    )
    some = k.compare.compare("less", k.columns.scalar(0, LONG), empty)
    limit = k.columns.scalar(CORRECTED * count, DOUBLE)
    unbiased = k.logic.if_else(
        k.compare.compare("less", estimate, limit),
        k.arithmetic.subtract(estimate, _bias(k, call, estimate)),
        estimate,
    )
    return k.logic.if_else(k.logic.and_(small, some), by_share, unbiased)


def _bias(k: Kernels, call: AggregateCall, estimate: Array) -> Array:
    """The mean bias of the known estimates that are nearest."""
    fields = dict(call.fields)
    known, biases = _table(k, fields["estimates"]), _table(k, fields["biases"])
    end = k.columns.scalar(len(fields["estimates"]), LONG)
    width, zero = k.columns.scalar(NEIGHBOURS, LONG), k.columns.scalar(0, LONG)
    nearest = _search(k, known, len(fields["estimates"]), estimate)
    low = k.arithmetic.subtract(nearest, k.columns.scalar(NEIGHBOURS - 1, LONG))
    low = k.logic.if_else(k.compare.compare("less", low, zero), zero, low)
    moves = True
    while moves:
        high = _before(k, k.arithmetic.add(low, width), end)
        nearer = k.compare.compare(
            "less", _distance(k, known, high, estimate), _distance(k, known, low, estimate)
        )
        nearer = k.logic.is_true(nearer)
        moves = k.logic.any(nearer)
        low = k.arithmetic.add(low, k.cast.widen(nearer, LONG))
    total: Any = k.columns.scalar(0.0, DOUBLE)
    count: Any = zero
    for number in range(NEIGHBOURS):
        index = _before(k, k.arithmetic.add(low, k.columns.scalar(number, LONG)), end)
        (bias,) = k.columns.take([biases], index)
        bias = k.logic.coalesce([bias, k.columns.scalar(0.0, DOUBLE)])
        total = k.arithmetic.add(total, bias)
        count = k.arithmetic.add(count, k.cast.widen(k.logic.is_valid(index), LONG))
    return k.arithmetic.divide(total, k.cast.widen(count, DOUBLE))


def _search(k: Kernels, known: Array, length: int, wanted: Array) -> Array:
    """Where Java's binary search finds each number, or would insert it."""
    one = k.columns.scalar(1, LONG)
    size = k.columns.length(wanted)
    low = k.columns.full(k.columns.scalar(0, LONG), size)
    high = k.columns.full(k.columns.scalar(length - 1, LONG), size)
    for _ in range(length.bit_length()):
        middle = k.arithmetic.quotient(k.arithmetic.add(low, high), k.columns.scalar(2, LONG))
        middle = k.logic.null_where(middle, k.compare.compare("less", high, low))
        (value,) = k.columns.take([known], middle)
        below = k.compare.compare("less", value, wanted)
        found = k.compare.compare("equal", value, wanted)
        above = k.logic.not_(below)
        low = k.logic.if_else(below, k.arithmetic.add(middle, one), low)
        low = k.logic.if_else(found, middle, low)
        high = k.logic.if_else(above, k.arithmetic.subtract(middle, one), high)
    return low


def _before(k: Kernels, index: Array, end: Any) -> Array:
    """The index, null from the end on."""
    return k.logic.null_where(index, k.compare.compare("less_equal", end, index))


def _distance(k: Kernels, known: Array, index: Array, estimate: Array) -> Array:
    (value,) = k.columns.take([known], index)
    apart = k.arithmetic.subtract(estimate, value)
    return k.arithmetic.multiply(apart, apart)


def _table(k: Kernels, numbers: Sequence[float]) -> Array:
    return k.columns.from_arrow(pa.array(numbers, pa.float64()), DOUBLE)


def _rounded(k: Kernels, estimate: Array) -> Column:
    """The nearest long, as Java's Math.round."""
    half = k.columns.scalar(0.5, DOUBLE)
    return Column(k.cast.float_to_integer(k.arithmetic.add(estimate, half), LONG), LONG)
