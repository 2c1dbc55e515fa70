"""Aggregates that merge buffers in the same way as they add rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broadhead.aggregates.registry import Rounds
    from broadhead.columns import Column
    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall


class Reduction:
    """Buffers that are like rows; the first one is the result."""

    update: ClassVar[Callable[..., Rounds]]

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Buffers of buffers."""
        return cls.update(k, grouping, call, buffers)

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The first buffer."""
        return buffers[0]
