"""bit_and, bit_or and bit_xor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from broadhead.aggregates.reduction import Reduction
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import INTEGRAL
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels, Kind
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [Signature((frozenset({name}),), frozenset({name})) for name in sorted(INTEGRAL)]


class _Bits(Reduction):
    """Buffer: the operation over the values so far, null for no values."""

    kind: ClassVar[Kind]

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The operation over rows."""
        (bits,) = yield [Request(cls.kind, inputs[0].data)]
        return [Column(bits, call.type)]


@aggregate("bit_and", spark="BitAndAgg", signatures=SIGNATURES)
class BitAndAgg(_Bits):
    """The bits that all values have.

    SELECT bit_and(i)
    """

    kind = "bit_and"


@aggregate("bit_or", spark="BitOrAgg", signatures=SIGNATURES)
class BitOrAgg(_Bits):
    """The bits that some value has.

    SELECT bit_or(i)
    """

    kind = "bit_or"


@aggregate("bit_xor", spark="BitXorAgg", signatures=SIGNATURES)
class BitXorAgg(_Bits):
    """The bits that an odd number of values has.

    SELECT bit_xor(i)
    """

    kind = "bit_xor"
