"""`sum(CASE WHEN x IS NULL THEN 1 ELSE 0 END)`, which needs no pass over the values.

Delta Lake counts the nulls of each column in this way for the statistics of a file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from broadhead.plan.expressions import Call, Literal
from broadhead.types import LONG

if TYPE_CHECKING:
    from broadhead.plan.nodes import AggregateCall

NULL_COUNT = "NullCount"
"""The call that counts nulls; not an aggregate of Spark."""


def counted_for_nulls(call: AggregateCall) -> AggregateCall:
    """The call of `sum` over rows; of one that counts nulls, the call that counts them."""
    if call.filter is not None or call.distinct or [b.type for b in call.buffers] != [LONG]:
        return call
    match call.children:
        case (
            Call(
                name="CaseWhen" | "If",
                children=(
                    Call(name="IsNull", children=(counted,)),
                    Literal(value=1),
                    Literal(value=0),
                ),
            ),
        ):
            return replace(call, name=NULL_COUNT, children=(counted,))
    return call
