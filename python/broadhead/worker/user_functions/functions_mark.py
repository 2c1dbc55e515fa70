"""A mark in a task's file: whether its worker runs the user's functions.

If a worker dies, its JVM sees by the mark whose code it was. A death in the user's code is the
result of the task, as in Spark; any other is a defect, after which Spark's operators run.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

IN_FUNCTIONS = 1


class FunctionsMark:
    """The first byte of the file, which a write to memory changes: it is written for each batch."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._byte: mmap.mmap | bytearray | None = None

    def enter(self) -> None:
        """The worker runs functions from now on."""
        if self._byte is None:
            self._byte = self._mapped()
        self._byte[0] = IN_FUNCTIONS

    def leave(self) -> None:
        """The worker runs the engine from now on."""
        if self._byte is not None:
            self._byte[0] = 0

    def _mapped(self) -> mmap.mmap | bytearray:
        """A byte of memory alone if the file has been deleted or its disk is full."""
        if self._file is not None:
            try:
                with self._file.open("r+b", buffering=0) as file:
                    file.write(b"\0")
                    return mmap.mmap(file.fileno(), 1)
            except OSError:
                pass
        return bytearray(1)
