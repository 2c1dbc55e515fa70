"""The memory that a task's worker may have, and whether operators must spill."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from broadhead.operators.process_memory import (
    is_counted,
    peak_bytes,
    release_free_pages,
    reset_peak,
    used_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEAST_SHARE = 32
"""An operator that holds less than this fraction of the limit does not help by spilling."""

RELEASE_SECONDS = 0.1
"""Allocators are asked for their free pages no more often than this."""

KEPT_SHARE = 4
"""The fraction of the limit that an idle worker may keep for its next task."""


class TaskMemory:
    """Compares what the process has with its limit, in bytes; without a limit all is well.

    What counts is what the kernel counts: the rows of all operators, rows that are read ahead or
    decompressed, Python's own objects, and free pages that an allocator keeps.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit if is_counted() else None
        self._released = 0.0

    def is_short(self, held: int) -> bool:
        """Whether an operator should spill the rows of so many bytes that it holds.

        To sort, group or concatenate rows takes their size once more.
        """
        if self.limit is None or held * LEAST_SHARE < self.limit:
            return False
        if used_bytes() + held <= self.limit:
            return False
        now = time.monotonic()
        if now - self._released > RELEASE_SECONDS:
            release_free_pages()
            self._released = time.monotonic()
        return used_bytes() + held > self.limit

    @contextmanager
    def measured(self, peak: Callable[[int], None]) -> Iterator[None]:
        """While this is open the task runs; `peak` is called with the most bytes of the process.

        Then free pages are given back, if an idle worker would keep too many.
        """
        if self.limit is None:
            yield
            return
        reset_peak()
        try:
            yield
        finally:
            peak(peak_bytes())
            if used_bytes() * KEPT_SHARE > self.limit:
                release_free_pages()
