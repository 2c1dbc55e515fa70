"""A task's channel without a JVM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from broadhead.worker.task_header import TaskHeader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.worker.frames import Frame


@dataclass
class MemoryChannel:
    """Frames in a list, the header first; those that the task writes are kept."""

    frames: Sequence[Frame]
    wanted: int | None = None
    """After so many frames are written no more are wanted."""
    written: list[Frame] = field(default_factory=list)
    position: int = 0

    def header(self) -> TaskHeader:
        self.position = 1
        return TaskHeader(self.frames[0])

    def read(self) -> Frame | None:
        if self.position == len(self.frames):
            return None
        self.position += 1
        return self.frames[self.position - 1]

    def write(self, frame: Frame) -> None:
        self.written.append(frame)

    def stopped(self) -> bool:
        return self.wanted is not None and len(self.written) >= self.wanted

    @property
    def tags(self) -> str:
        """The tags of the written frames in their order."""
        return "".join(frame.tag for frame in self.written)
