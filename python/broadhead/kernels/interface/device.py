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
        """Set up this process for a fragment with these settings.

        On a GPU this limits the memory of the process, with its first fragment; later calls change
        nothing. Nothing is needed on the CPU.
        """

    def batch_rows(self, settings: Settings) -> int:
        """The greatest number of rows of a batch.

        On the CPU `spark.broadhead.batchRows`; on a GPU a number that follows from its memory.
        """

    def operator_memory(self, settings: Settings) -> int:
        """Bytes that each operator of a task may keep before it spills.

        On the CPU `spark.broadhead.operatorMemory`; on a GPU a number that follows from its memory.
        """

    def kept_memory(self, settings: Settings) -> int:
        """Bytes of shuffled rows that the process of a GPU may keep in the device's memory."""

    def release(self) -> None:
        """Give memory that the process keeps on the GPU for later, but rows, to other processes."""

    def synchronize(self) -> None:
        """Wait until all work of this thread is finished; on the CPU it already is."""

    def is_lost(self) -> bool:
        """Whether this process can compute nothing any more; never true on the CPU.

        CUDA keeps errors such as an illegal access for good: then the worker ends after its task.
        """
