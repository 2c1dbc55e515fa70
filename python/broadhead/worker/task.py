"""The entry for Spark's Python worker: one fragment of one task.

The plugin's command refers to `make`, `DESERIALIZER` and `SERIALIZER` of this module. The worker
calls `make(json)` once a task, its result with the task's frames, and `SERIALIZER` with the result
of that.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from broadhead.worker import allocations, latency
from broadhead.worker.frames import FrameDeserializer
from broadhead.worker.killed_first import be_killed_first
from broadhead.worker.spark_channel import SparkWorkerTask, TaskSerializer
from broadhead.worker.task_run import run_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.worker.frames import Frame

DESERIALIZER = FrameDeserializer()
SERIALIZER = TaskSerializer()


def make(text: str) -> Callable[[int, Iterator[Frame]], SparkWorkerTask]:
    """A function from the frames of a task to the task of the fragment `text` (JSON)."""
    latency.install()
    allocations.keep_freed_memory()
    be_killed_first()
    run = partial(run_task, text)

    def task_of(partition: int, frames: Iterator[Frame]) -> SparkWorkerTask:
        return SparkWorkerTask(run, frames)

    return task_of
