"""min and max; bool_and, bool_or, every, any and some are these on booleans."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from broadhead.aggregates.reduction import Reduction
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import ATOMIC
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import ArrayType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels, Kind
    from broadhead.plan.nodes import AggregateCall
    from broadhead.types import DataType

TYPES = [*sorted(ATOMIC), "array", "struct"]
SIGNATURES = [Signature((frozenset({name}),), frozenset({name})) for name in TYPES]


class _Extreme(Reduction):
    """Buffer: the extreme of the values so far, null for no values."""

    kind: ClassVar[Kind]

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The extreme of rows."""
        values = inputs[0].data
        if isinstance(call.type, ArrayType | StructType):
            return (yield from _nested(k, values, call.type, descending=cls.kind == "max"))
        (extreme,) = yield [Request(cls.kind, values)]
        zeros = _zeros_of_both_signs(k, values, extreme, call.type)
        if zeros is not None:
            # they are equal: Spark keeps the first one
            (first,) = yield [Request("first_valid", zeros)]
            is_zero = k.compare.compare("equal", extreme, k.columns.scalar(0.0, call.type))
            extreme = k.logic.if_else(is_zero, first, extreme)
        return [Column(extreme, call.type)]


@aggregate("min", spark="Min", signatures=SIGNATURES, extreme="least")
class Min(_Extreme):
    """The least value; NaN only if all values are NaN.

    SELECT min(price)
    """

    kind = "min"


@aggregate("max", spark="Max", signatures=SIGNATURES, extreme="greatest")
class Max(_Extreme):
    """The greatest value; NaN is greater than all others.

    SELECT max(price)
    """

    kind = "max"


def _nested(
    k: Kernels, values: Array, data_type: ArrayType | StructType, *, descending: bool
) -> Rounds:
    """The first value in sort order, of equal ones the first in the input, as in Spark."""
    order, ranks = nested_ranks(k, values, data_type, descending=descending)
    (rank,) = yield [Request("min", ranks)]
    (row,) = k.columns.take([order], rank)
    (extreme,) = k.columns.take([values], row)
    return [Column(extreme, data_type)]


def nested_ranks(
    k: Kernels, values: Array, data_type: ArrayType | StructType, *, descending: bool
) -> tuple[Array, Array]:
    """The rows (int64) in the order of arrays or structs, and each row's rank in it or null."""
    order = k.sort.order([k.keys.comparable(values, data_type)], [(not descending, False)])
    ranks = k.sort.order([order], [(True, True)])
    return order, k.logic.null_where(ranks, k.logic.is_null(values))


def _zeros_of_both_signs(
    k: Kernels, values: Array, extreme: Array, data_type: DataType
) -> Array | None:
    """The values that are zero, null for the others; None if the sign of the zero is known."""
    if not data_type.is_floating:
        return None
    zero, one = (k.columns.scalar(number, data_type) for number in (0.0, 1.0))
    if not k.logic.any(k.compare.compare("equal", extreme, zero)):
        return None
    is_zero = k.logic.is_true(k.compare.compare("equal", values, zero))
    (zeros,) = k.columns.filter([values], is_zero)
    positive = k.compare.compare("less", zero, k.arithmetic.divide(one, zeros))
    if k.logic.all(positive) or not k.logic.any(positive):
        return None
    return k.logic.null_where(values, k.logic.not_(is_zero))
