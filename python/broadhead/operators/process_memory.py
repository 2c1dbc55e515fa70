"""The memory of this process, as the kernel counts it; Linux only."""

from __future__ import annotations

import ctypes
import resource
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

_OWN = Path("/proc/self")
_PAGE_BYTES = resource.getpagesize()
_RESET_PEAK = "5"
_PEAK_LINE = "VmHWM:"


def is_counted() -> bool:
    """Whether the kernel tells what this process has."""
    return (_OWN / "statm").exists()


def used_bytes() -> int:
    """The bytes of this process that are in memory and belong to no file."""
    _, resident, shared, *_ = (_OWN / "statm").read_bytes().split()
    return (int(resident) - int(shared)) * _PAGE_BYTES


def release_free_pages() -> None:
    """Give back what Arrow and the C library keep for later."""
    pa.default_memory_pool().release_unused()
    library = _c_library()
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


def reset_peak() -> None:
    """Begin to count `peak_bytes` anew."""
    with suppress(OSError):
        (_OWN / "clear_refs").write_text(_RESET_PEAK)


def peak_bytes() -> int:
    """The most bytes of this process in memory since `reset_peak`, with its files; 0 if unknown."""
    with suppress(OSError), (_OWN / "status").open() as status:
        for line in status:
            if line.startswith(_PEAK_LINE):
                return int(line.split()[1]) << 10
    return 0


@cache
def _c_library() -> Any:
    return ctypes.CDLL(None)
