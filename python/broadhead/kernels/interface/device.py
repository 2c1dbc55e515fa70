"""Where kernels run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings


class Device(Protocol):
    """Where the kernels run."""

    name: str
    """`cpu` or `gpu`."""

    def activate(self, settings: Settings) -> None:
        """Set the process up for a fragment with these settings; what is set up already stays."""

    def batch_rows(self, settings: Settings) -> int:
        """Greatest number of rows of a batch."""

    def operator_memory(self, settings: Settings) -> int:
        """Memory limit of each operator of a task, in bytes."""

    def synchronize(self) -> None:
        """Wait until all work is done; nothing to do on the CPU."""
