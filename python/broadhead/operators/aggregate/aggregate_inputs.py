"""The input columns of an aggregate's `update`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.registry import aggregates
from broadhead.columns import Column
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Kernels
    from broadhead.plan.nodes import AggregateCall


def filtered_inputs(
    k: Kernels, call: AggregateCall, arguments: Sequence[Column], condition: Column | None
) -> list[Column]:
    """The arguments without the rows that the call's filter drops; see `AggregateFunction`."""
    if condition is None:
        return list(arguments)
    kept = k.logic.is_true(condition.data)
    if aggregates()[call.name].takes_mask:
        return [*arguments, Column(kept, BOOLEAN)]
    dropped = k.logic.not_(kept)
    return [Column(k.logic.null_where(c.data, dropped), c.type) for c in arguments]
