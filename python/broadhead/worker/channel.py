"""The connection of a task to the JVM, independent of its transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.worker.frames import Frame
    from broadhead.worker.task_header import TaskHeader


class TaskChannel(Protocol):
    """One task's frames in both directions: see docs/wire-format.md, section 2."""

    def header(self) -> TaskHeader:
        """The task header, which is the first frame. Called once, before `read`."""

    def read(self) -> Frame | None:
        """The next frame for the task's sources; None at the end of the data."""

    def write(self, frame: Frame) -> None:
        """Send a frame to the JVM at once."""

    def stopped(self) -> bool:
        """Whether the JVM wants no more frames. Any thread may call it, any number of times."""
