"""A program in a container with little memory: a cgroup where this machine allows to make one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
POLL_SECONDS = 0.1
_V1 = Path("/sys/fs/cgroup/memory")
_V2 = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its status, its output, the most bytes, and the kernel's kills."""

    status: int
    output: str
    peak: int
    """Of all its processes together, without the pages of files."""
    kills: int


def run_limited(
    command: Sequence[str], limit: int, environment: dict[str, str], timeout: float
) -> Ended:
    """Run a program with at most `limit` bytes for all of its processes."""
    with _cgroup(limit) as group:

        def enter() -> None:
            os.setsid()
            if group is not None:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
            preexec_fn=enter,
        )
        peak, end = 0, time.monotonic() + timeout
        while process.poll() is None and time.monotonic() < end:
            peak = max(peak, _anonymous_bytes(process.pid))
            time.sleep(POLL_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Ended(process.returncode, output, peak, _kills(group))


def can_limit() -> bool:
    """Whether this machine allows to make a cgroup."""
    with _cgroup(1 << 40) as group:
        return group is not None


@contextmanager
def _cgroup(limit: int) -> Iterator[Path | None]:
    """A new group of this machine; None where it cannot be made."""
    name = f"broadhead-test-{os.getpid()}"
    for root, file in ((_V1, "memory.limit_in_bytes"), (_V2, "memory.max")):
        group = root / name
        with suppress(OSError):
            if not (root / "cgroup.procs").exists():
                continue
            group.mkdir()
            try:
                if not (group / file).exists():
                    continue
                (group / file).write_text(str(limit))
                yield group
                return
            finally:
                _remove(group)
    yield None


def _remove(group: Path) -> None:
    for _ in range(50):
        for process in (group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(POLL_SECONDS)


def _kills(group: Path | None) -> int:
    if group is None:
        return 0
    for file in ("memory.oom_control", "memory.events"):
        with suppress(OSError):
            for line in (group / file).read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    return 0


def _anonymous_bytes(session: int) -> int:
    """The bytes of a session's processes that belong to no file."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, IndexError, ValueError):
            if int(status.read_text().rpartition(")")[2].split()[3]) == session:
                _, resident, shared, *_ = (status.parent / "statm").read_text().split()
                total += (int(resident) - int(shared)) * PAGE_BYTES
    return total
