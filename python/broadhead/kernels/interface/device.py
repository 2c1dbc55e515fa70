"""The device of the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings


class Device(Protocol):
    """The device of the kernels."""

    name: str
    """`cpu` or `gpu`."""

    def activate(self, settings: Settings) -> None:
        """Set up the process for a fragment with these settings; existing set-up is kept."""

    def batch_rows(self, settings: Settings) -> int:
        """Greatest number of rows of a batch."""

    def operator_memory(self, settings: Settings) -> int:
        """Memory limit of each operator of a task, in bytes."""

    def synchronize(self) -> None:
        """Wait until all work is finished; returns at once on the CPU."""

    def is_lost(self) -> bool:
        """Whether nothing can be computed any more in this process; never on the CPU."""
