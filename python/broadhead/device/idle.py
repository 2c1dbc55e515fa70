"""The process without tasks: it gives the memory of its GPU back to other processes."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 30.0
"""The next query of a session often follows sooner, and what is kept makes it faster."""


class Idle:
    """Calls `release` once when no task has run for `seconds`. Safe to use from several threads.

    `release` gets a function that says whether tasks run again.
    """

    def __init__(
        self, release: Callable[[Callable[[], bool]], None], seconds: float = SECONDS
    ) -> None:
        self._release = release
        self._seconds = seconds
        self._lock = threading.Lock()
        self._running = 0
        self._timer: threading.Timer | None = None

    @contextmanager
    def task(self) -> Iterator[None]:
        """While a task runs."""
        with self._lock:
            self._running += 1
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        try:
            yield
        finally:
            self._end()

    def _end(self) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                self._timer = threading.Timer(self._seconds, self._release, [self._is_busy])
                self._timer.daemon = True
                self._timer.start()

    def _is_busy(self) -> bool:
        return self._running > 0
