"""The device of the kernels: a GPU."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

import rmm.mr
from cuda.bindings import driver, runtime
from rmm.pylibrmm.stream import PER_THREAD_DEFAULT_STREAM

from broadhead.kernels import gpu_memory
from broadhead.kernels.kept_chunks import CHUNKS

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
        # Other processes on the GPU get what is not of one task.
        tasks = 1 if gpu_memory.only_process else gpu_memory.tasks_at_once(settings)
        _resource = rmm.mr.LimitingResourceAdaptor(_keeping(limit // tasks), limit)
        rmm.mr.set_current_device_resource(_resource)
        CHUNKS.limit = gpu_memory.files_memory(limit)


def batch_rows(settings: Settings) -> int:
    """Greatest number of rows of a batch."""
    return gpu_memory.batch_rows(settings, _limit(settings))


def operator_memory(settings: Settings) -> int:
    """Bytes that each operator of a task may keep."""
    return gpu_memory.operator_memory(settings, _limit(settings))


def kept_memory(settings: Settings) -> int:
    """Bytes of shuffled rows that the process may keep."""
    return gpu_memory.kept_memory(_limit(settings))


def release() -> None:
    """Give up chunks of files, and give freed memory back, for other processes on the GPU."""
    CHUNKS.clear()
    _make_current()
    runtime.cudaDeviceSynchronize()
    runtime.cudaMemPoolTrimTo(_pool(), 0)


def _keeping(size: int) -> rmm.mr.DeviceMemoryResource:
    """The memory of CUDA's own pool, which keeps up to `size` bytes that are freed."""
    threshold = runtime.cudaMemPoolAttr.cudaMemPoolAttrReleaseThreshold
    (error,) = runtime.cudaMemPoolSetAttribute(_pool(), threshold, driver.cuuint64_t(size))
    if int(error) != 0:
        raise RuntimeError(f"the memory pool of the GPU cannot be set up: {error}")
    return rmm.mr.CudaAsyncViewMemoryResource(_pool())


@cache
def _pool() -> runtime.cudaMemPool_t:
    error, pool = runtime.cudaDeviceGetDefaultMemPool(0)
    if int(error) != 0:
        raise RuntimeError(f"the GPU has no memory pool: {error}")
    return pool


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
