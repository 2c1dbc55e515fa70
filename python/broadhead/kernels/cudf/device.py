"""The device of the kernels: a GPU."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

import rmm.mr
from cuda.bindings import runtime
from rmm.pylibrmm.stream import PER_THREAD_DEFAULT_STREAM

from broadhead.kernels import gpu_memory

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

name = "gpu"

_lock = threading.Lock()
_threads = threading.local()
_resource: rmm.mr.DeviceMemoryResource | None = None


def activate(settings: Settings) -> None:
    """Set up the device's memory, once a process, at the start of its first fragment."""
    global _resource
    _make_current()
    with _lock:
        if _resource is not None:
            return
        limit = _limit(settings)
        # The pool keeps the memory of one task; other processes on the GPU get the rest.
        tasks = 1 if gpu_memory.only_process else max(settings.gpu_concurrent_tasks, 1)
        pool = rmm.mr.CudaAsyncMemoryResource(release_threshold=limit // tasks)
        _resource = rmm.mr.LimitingResourceAdaptor(pool, limit)
        rmm.mr.set_current_device_resource(_resource)


def batch_rows(settings: Settings) -> int:
    """Greatest number of rows of a batch."""
    return gpu_memory.batch_rows(settings, _limit(settings))


def operator_memory(settings: Settings) -> int:
    """Bytes that each operator of a task may keep."""
    return gpu_memory.operator_memory(settings, _limit(settings))


@cache
def _total() -> int:
    """The device's memory, in bytes."""
    _, total = rmm.mr.available_device_memory()
    return int(total)


def _limit(settings: Settings) -> int:
    return int(_total() * settings.gpu_memory_fraction)


def _make_current() -> None:
    """Give this thread the device's context, as the first call of CUDA's runtime in it does.

    rmm waits for a stream by the driver, which fails in a thread without a context.
    """
    if not hasattr(_threads, "has_context"):
        runtime.cudaFree(0)
        _threads.has_context = True


def synchronize() -> None:
    """Returns when all work of this thread is finished."""
    _make_current()
    PER_THREAD_DEFAULT_STREAM.synchronize()


def is_lost() -> bool:
    """Whether nothing can be computed any more in this process.

    After an error such as an illegal access every later call in the same context fails with it.
    """
    # reports and forgets an error that does not stay
    runtime.cudaGetLastError()
    (error,) = runtime.cudaDeviceSynchronize()
    return int(error) != 0
