"""`sum(CASE WHEN x IS NULL THEN 1 ELSE 0 END)` of all rows, which needs no pass over the values.

Delta Lake counts the nulls of each column in this way for the statistics of a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.kernels.interface.group import Request
from broadhead.plan.expressions import Call, Expression, Literal
from broadhead.types import LONG

if TYPE_CHECKING:
    from broadhead.aggregates.registry import Rounds
    from broadhead.kernels.interface import Kernels
    from broadhead.plan.nodes import AggregateCall, HashAggregate


def counted_for_nulls(call: AggregateCall, node: HashAggregate) -> Expression | None:
    """The expression whose nulls an aggregate of ungrouped rows counts; None for all others."""
    plain = call.updates and call.filter is None and not call.distinct and not node.grouping
    if not plain or call.name != "Sum" or [buffer.type for buffer in call.buffers] != [LONG]:
        return None
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
            return counted
    return None


def null_count(k: Kernels, values: Column, rows: int) -> Rounds:
    """The sum as the one buffer of Spark's: null for no rows."""
    if not rows:
        return [Column(k.columns.full(k.columns.scalar(None, LONG), 1), LONG)]
    (valid,) = yield [Request("count", values.data)]
    nulls = k.arithmetic.subtract(k.columns.scalar(rows, LONG), valid)
    return [Column(nulls, LONG)]
