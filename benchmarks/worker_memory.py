"""The resident memory of a session's Python workers, from /proc."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def workers(process: int) -> Iterator[Path]:
    """The folders in /proc of all processes of Python below one."""
    for child in Path(f"/proc/{process}/task").glob("*/children"):
        for pid in map(int, child.read_text().split()):
            folder = Path(f"/proc/{pid}")
            if "python" in (folder / "comm").read_text():
                yield folder
            yield from workers(pid)


def peaks(jvm: int) -> list[int]:
    """The most resident bytes that each worker has had since `forget_peaks`."""
    lines = [line for folder in workers(jvm) for line in (folder / "status").open()]
    return [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]


def forget_peaks(jvm: int) -> None:
    """Begin again to measure the peaks of the workers."""
    for folder in workers(jvm):
        (folder / "clear_refs").write_text("5")
