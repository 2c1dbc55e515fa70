"""min and max; bool_and, bool_or, every, any and some are these on booleans."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import ATOMIC, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels, Kind
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [Signature((frozenset({name}),), frozenset({name})) for name in sorted(ATOMIC)]


class _Extreme:
    """Buffer: the value so far, null for no values."""

    kind: ClassVar[Kind]

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The extreme of rows."""
        (extreme,) = yield [(cls.kind, inputs[0].data, 0)]
        return [Column(extreme, call.type)]

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """The extreme of extremes."""
        return cls.update(k, grouping, call, buffers)

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The extreme."""
        return buffers[0]


@aggregate("min", spark="Min", signatures=SIGNATURES)
class Min(_Extreme):
    """The least value; NaN only where there is nothing else.

    SELECT min(price)
    """

    kind = "min"


@aggregate("max", spark="Max", signatures=SIGNATURES)
class Max(_Extreme):
    """The greatest value; NaN is greater than all others.

    SELECT max(price)
    """

    kind = "max"
