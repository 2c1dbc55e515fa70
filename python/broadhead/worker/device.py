"""Choice of the kernels for a task, and the slots that bound how many tasks use a GPU at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.plan import nodes
    from broadhead.worker.sources import TaskHeader, TaskSources

POLL_SECONDS = 0.001


@cache
def gpu_available() -> bool:
    """Whether pylibcudf can be imported and finds a device. Initialises CUDA when there is one."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "" or not Path("/dev/nvidiactl").exists():
        return False
    try:
        from cuda.bindings import runtime

        error, count = runtime.cudaGetDeviceCount()
        import pylibcudf  # noqa: F401 - only asks whether it is there
    except (ImportError, RuntimeError):
        return False
    return int(error) == 0 and count > 0


def choose_kernels(fragment: nodes.Fragment, header: TaskHeader, sources: TaskSources) -> str:
    """`arrow` or `cudf`, by the setting `device`, what the fragment holds and how much it reads.

    `auto` uses the GPU for inputs of at least `gpu_min_bytes`: below, starting its kernels costs
    more than they save.
    """
    settings = fragment.settings
    if settings.device == "cpu" or _has_nested_columns(fragment.root) or not gpu_available():
        return "arrow"
    if settings.device == "gpu" or header.local_bytes >= settings.gpu_min_bytes:
        return "cudf"
    received = sources.buffer(settings.gpu_min_bytes)
    return "cudf" if received + header.local_bytes >= settings.gpu_min_bytes else "arrow"


def _has_nested_columns(node: nodes.Node) -> bool:
    return any(attribute.type.is_nested for attribute in node.output) or any(
        map(_has_nested_columns, node.children)
    )


@contextlib.contextmanager
def gpu_slot(count: int) -> Iterator[None]:
    """One of `count` slots of this user's GPU, waited for if all are taken.

    Slots are locked files, so that a worker which dies gives its slot back.
    """
    device = os.environ.get("CUDA_VISIBLE_DEVICES", "all").replace("/", "_")
    directory = Path(tempfile.gettempdir()) / f"broadhead-gpu-{os.getuid()}-{device}"
    directory.mkdir(mode=0o700, exist_ok=True)
    if directory.stat().st_uid != os.getuid():
        raise PermissionError(f"{directory} belongs to another user: remove it")
    files = [(directory / str(n)).open("w") for n in range(count)]
    try:
        while not any(map(_try_lock, files)):
            time.sleep(POLL_SECONDS)
        yield
    finally:
        for file in files:
            file.close()


def _try_lock(file: object) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[arg-type]
    except BlockingIOError:
        return False
    return True
