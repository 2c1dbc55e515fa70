"""Selection of the kernels for a task, and the permits that limit the number of tasks on a GPU."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from broadhead.plan.python_nodes import PythonNode
from broadhead.plan.traversal import find, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.plan.nodes import Fragment

POLL_SECONDS = 0.001


def leave_service() -> None:
    """Have the executor start another Multi-Process Service, if the plugin has started this one.

    An error that takes away one process's context takes it away from all that share the service,
    and nobody gets a new one while any of them runs.
    """
    from broadhead.worker.multi_process_service import IN_ORDER

    pipes = os.environ.get("CUDA_MPS_PIPE_DIRECTORY")
    if pipes:
        Path(pipes, IN_ORDER).unlink(missing_ok=True)


class DeviceRequest(Protocol):
    """The JVM's information on a task's device, and the size of the task's files."""

    memory: int | None
    cpu_only: bool
    gpu_min_bytes: int | None
    gpu_permits: Path | None

    @property
    def local_bytes(self) -> int:
        """Bytes of all local files that the task reads."""


class Received(Protocol):
    """The input that the JVM sends to a task."""

    def buffer(self, limit: int) -> int:
        """Receive up to about `limit` bytes ahead; returns the number of waiting bytes."""


def gpu_possible() -> bool:
    """Whether the host has a GPU that this process may use, by files and settings."""
    return os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists()


@cache
def gpu_available() -> bool:
    """Whether pylibcudf can be imported and finds a device. Initialises CUDA when there is one."""
    if not gpu_possible():
        return False
    try:
        from cuda.bindings import runtime

        error, count = runtime.cudaGetDeviceCount()
        import pylibcudf  # noqa: F401 - only tests whether it can be imported
    except (ImportError, RuntimeError):
        return False
    return int(error) == 0 and count > 0


def choose_kernels(fragment: Fragment, header: DeviceRequest, sources: Received) -> str:
    """`arrow` or `cudf`, by the setting `device`, the fragment's nodes and the size of its input.

    `auto` uses the GPU for inputs of at least the header's `gpu_min_bytes`: below, starting its
    kernels takes longer than they save. Without that number the task was not planned for a GPU, and
    with `cpu_only` the GPU may have failed in it already.
    """
    device = fragment.settings.device
    if device == "cpu" or header.cpu_only or not gpu_possible():
        return "arrow"
    root = fragment.root
    if root.only_reads or not all(node.may_use_gpu for node in walk(root)):
        return "arrow"
    required = any(node.device.required for node in find(root, PythonNode) if node.device)
    if device == "auto" and not required:
        least = header.gpu_min_bytes
        if least is None:
            return "arrow"
        # the import of the GPU's kernels takes longer than small tasks
        missing = least - header.local_bytes
        if missing > 0 and sources.buffer(least) < missing:
            return "arrow"
    return "cudf" if gpu_available() else "arrow"


@contextlib.contextmanager
def gpu_permit(directory: Path | None, count: int, waited: Callable[[int], None]) -> Iterator[None]:
    """One of `count` permits of the executor's GPU; waits if all are taken.

    `waited` is called with the nanoseconds of waiting. Permits are locked files in the executor's
    private `directory`, so that the permit of a dead worker is released. Without a directory the
    tasks of this process share them.
    """
    if directory is None:
        start = time.perf_counter_ns()
        with _own_permits(count):
            waited(time.perf_counter_ns() - start)
            yield
        return
    start = time.perf_counter_ns()
    with contextlib.ExitStack() as files:
        opened = [files.enter_context(_permit_file(directory / str(n))) for n in range(count)]
        while not any(map(_try_lock, opened)):
            time.sleep(POLL_SECONDS)
        waited(time.perf_counter_ns() - start)
        yield


@cache
def _own_permits(count: int) -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(count)


def _permit_file(path: Path) -> BinaryIO:
    """The file, created if it is missing; never truncated, and never the target of a link."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "r+b")


def _try_lock(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
