"""The entry for a worker that no task has asked for yet: it imports what the first task needs.

The plugin's command refers to `make`; see `broadhead.worker.task` for the others.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from broadhead.worker import latency
from broadhead.worker.spark_channel import SparkWorkerTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.worker.channel import TaskChannel
    from broadhead.worker.frames import Frame

IMPORTED = (
    "pyarrow.compute",
    "pyarrow.parquet",
    "broadhead.operators.exchange.broadcast_cache",
    "broadhead.worker.device_half",
    "broadhead.worker.fragment_cache",
    "broadhead.worker.host_half",
    "broadhead.worker.sources",
)


def make(_text: str) -> Callable[[int, Iterator[Frame]], SparkWorkerTask]:
    """A task without output."""
    latency.install()

    def task_of(partition: int, frames: Iterator[Frame]) -> SparkWorkerTask:
        return SparkWorkerTask(_get_ready, frames)

    return task_of


def _get_ready(channel: TaskChannel) -> None:
    """Import the engine and the kernels of the CPU."""
    while channel.read() is not None:
        pass
    import_engine()


def import_engine() -> None:
    """Import what the first task needs."""
    for module in IMPORTED:
        importlib.import_module(module)
    importlib.import_module("broadhead.kernels.load").load_kernels("arrow")
