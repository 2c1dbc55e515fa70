"""The kernel's choice of a process to kill when memory runs out."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

_FIRST = "1000"


@cache
def be_killed_first() -> None:
    """Let the kernel kill this process rather than the JVM.

    Spark's operators then compute the task of this worker; the JVM has all tasks of the executor.
    """
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST)
