"""The channel of a task that runs in Spark's own Python worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from broadhead.worker import latency
from broadhead.worker.frames import write_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.worker.channel import TaskChannel
    from broadhead.worker.frames import Frame
    from broadhead.worker.task_header import TaskHeader


class SparkWorkerChannel:
    """The two streams of Spark's worker for a task; a deleted file signals a stop."""

    def __init__(self, frames: Iterator[Frame], stream: BinaryIO) -> None:
        self._frames = frames
        self._stream = stream
        self._header: TaskHeader | None = None

    def header(self) -> TaskHeader:
        """The task header."""
        # the worker imports as little as possible before it reads the first frame
        from broadhead.worker.task_header import TaskHeader

        self._header = TaskHeader(next(self._frames))
        return self._header

    def read(self) -> Frame | None:
        """The next frame that Spark's worker has read."""
        return next(self._frames, None)

    def write(self, frame: Frame) -> None:
        """Send a frame to the JVM at once."""
        write_frame(frame, self._stream)

    def stopped(self) -> bool:
        """Whether the file in the header is deleted."""
        return self._header is not None and self._header.stopped()


class TaskSerializer:
    """Runs tasks; has the one method that Spark's worker calls on a serializer.

    Only this call provides the output stream, so a task starts here.
    """

    def dump_stream(self, task: SparkWorkerTask, stream: BinaryIO) -> None:
        """Run the task until its last frame is written."""
        task.run(stream)


class SparkWorkerTask:
    """A task whose frames can be read and whose output stream is not known yet."""

    def __init__(self, run: Callable[[TaskChannel], None], frames: Iterator[Frame]) -> None:
        self._run = run
        self._frames = frames

    def run(self, stream: BinaryIO) -> None:
        """Run the task; its output goes to `stream`."""
        self._run(SparkWorkerChannel(self._frames, stream))
        latency.freeze()
