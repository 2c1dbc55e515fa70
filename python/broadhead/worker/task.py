"""The entry for Spark's Python worker: one fragment of one task.

The plugin's command names `make`, `DESERIALIZER` and `SERIALIZER` of this module: the worker calls
`make(json)` once a task, the result with the task's frames, and `SERIALIZER` with what this gives.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from broadhead.worker import latency
from broadhead.worker.frames import FrameDeserializer
from broadhead.worker.spark_channel import SparkWorkerTask, TaskSerializer
from broadhead.worker.task_run import run_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.worker.frames import Frame

DESERIALIZER = FrameDeserializer()
SERIALIZER = TaskSerializer()


def make(text: str) -> Callable[[int, Iterator[Frame]], SparkWorkerTask]:
    """The function that gives the task of the fragment `text` (JSON) with its frames."""
    latency.install()
    run = partial(run_task, text)

    def task_of(partition: int, frames: Iterator[Frame]) -> SparkWorkerTask:
        return SparkWorkerTask(run, frames)

    return task_of
