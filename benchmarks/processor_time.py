"""The CPU time that the processes of this session have used: Spark's JVM and its Python workers.

Other load of the machine lengthens the seconds of a query, but hardly these.
"""

from __future__ import annotations

import os
import time
from pathlib import Path


def processor_times() -> dict[int, float]:
    """Seconds that each living process of this session has used so far; empty without /proc."""
    session = os.getsid(0)
    times = {}
    for folder in Path("/proc").glob("[0-9]*"):
        process = int(folder.name)
        try:
            if os.getsid(process) == session:
                times[process] = time.clock_gettime(_clock(process))
        except OSError:
            continue  # It ended meanwhile.
    return times


def used_since(before: dict[int, float]) -> float | None:
    """Seconds used by all processes since then, by those that started meanwhile, too."""
    now = processor_times()
    if not now:
        return None
    return sum(used - before.get(process, 0.0) for process, used in now.items())


def _clock(process: int) -> int:
    """Linux's number of the clock of a process's CPU time, as clock_getcpuclockid gives it."""
    return ~process << 3 | 2
