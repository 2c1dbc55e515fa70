"""Facts that a result depends on: the machine, the versions, the commit."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGES = ("pyspark", "pyarrow", "numpy", "cupy-cuda12x", "cupy-cuda13x")
_CUDF = ("pylibcudf-cu12", "pylibcudf-cu13", "cudf-cu12", "cudf-cu13")


def machine() -> dict[str, Any]:
    """Processor, memory, GPUs and system of this machine."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "gpus": _lines(
            "nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"
        ),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Versions of the Python packages that matter, as far as they are installed."""
    found = {"python": platform.python_version()}
    for package in (*_PACKAGES, *_CUDF):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit(repository: Path) -> str | None:
    """Commit of the working tree, with ``+`` where it has changes; None outside git."""
    head = _lines("git", "-C", str(repository), "rev-parse", "HEAD")
    if not head:
        return None
    changed = _lines("git", "-C", str(repository), "status", "--porcelain", "--untracked-files=no")
    return head[0] + ("+" if changed else "")


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _lines(*command: str) -> list[str]:
    """Lines that a command prints; none where it is missing or fails."""
    if shutil.which(command[0]) is None:
        return []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return []
    return (
        [line.strip() for line in done.stdout.splitlines() if line.strip()]
        if done.returncode == 0
        else []
    )
