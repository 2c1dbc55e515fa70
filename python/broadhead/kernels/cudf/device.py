"""The GPU as the place where the kernels run."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import rmm.mr
from rmm.pylibrmm.stream import PER_THREAD_DEFAULT_STREAM

from broadhead.plan.nodes import DEFAULT_BATCH_ROWS

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

name = "gpu"

# 0.5 to 1 GiB for the rows of a usual query; a call costs tens of microseconds at any size.
_BATCH_ROWS = 1 << 24

_lock = threading.Lock()
_resource: rmm.mr.DeviceMemoryResource | None = None


def activate(settings: Settings) -> None:
    """Set up the device's memory; once a process, at the start of its first fragment."""
    global _resource
    with _lock:
        if _resource is not None:
            return
        _, total = rmm.mr.available_device_memory()
        limit = int(total * settings.gpu_memory_fraction)
        # The pool keeps what one task may need; other processes on the GPU get the rest.
        pool = rmm.mr.CudaAsyncMemoryResource(
            release_threshold=limit // max(settings.gpu_concurrent_tasks, 1)
        )
        _resource = rmm.mr.LimitingResourceAdaptor(pool, limit)
        rmm.mr.set_current_device_resource(_resource)


def batch_rows(settings: Settings) -> int:
    """How many rows an operator should put in a batch, at most."""
    if settings.batch_rows < DEFAULT_BATCH_ROWS:
        return settings.batch_rows
    return _BATCH_ROWS


def synchronize() -> None:
    """Returns when all work of this thread is done."""
    PER_THREAD_DEFAULT_STREAM.synchronize()
