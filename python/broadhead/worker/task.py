"""What runs in Spark's Python worker: one fragment of one task.

The plugin's command names `make`, `DESERIALIZER` and `SERIALIZER` of this module: the worker calls
`make(json)` once a task, the result with the task's frames, and writes the frames that come back.
"""

from __future__ import annotations

import json
import time
import traceback
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from broadhead.errors import BroadheadError
from broadhead.worker import latency
from broadhead.worker.frames import Frame, FrameDeserializer, FrameSerializer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from broadhead.operators.context import Metrics
    from broadhead.plan.nodes import Fragment

DESERIALIZER = FrameDeserializer()
SERIALIZER = FrameSerializer()

FRAME_BYTES = 64 << 20
"""Larger batches go to the JVM in pieces of about this size; a frame cannot pass 2 GiB."""


def make(text: str) -> Callable[[int, Iterator[Frame]], Iterator[Frame]]:
    """The function that runs the fragment `text` (JSON) on one task's frames."""
    latency.install()

    def run_task(partition: int, frames: Iterator[Frame]) -> Iterator[Frame]:
        return _answer(text, frames)

    return run_task


def _answer(text: str, frames: Iterator[Frame]) -> Iterator[Frame]:
    """Batches, then perhaps an error, then metrics. Reads all of `frames`, whatever happens."""
    from broadhead.operators.context import Metrics

    metrics = Metrics()
    try:
        yield from _run(text, frames, metrics)
    except Exception as error:
        yield Frame("E", json.dumps(_describe(error)).encode())
    for _ in frames:
        pass
    yield Frame("M", json.dumps(metrics.values).encode())
    latency.freeze()


def _describe(error: Exception) -> dict[str, str]:
    """The body of an error frame."""
    return {
        "kind": _kind(error),
        "reason": f"{type(error).__name__}: {error}",
        "traceback": "".join(traceback.format_exception(error)),
    }


def _kind(error: Exception) -> Literal["replay", "error"]:
    """`replay` for what is in the data or the files, `error` for what is wrong with us."""
    import pyarrow as pa

    expected = (
        BroadheadError,
        OSError,
        MemoryError,
        pa.ArrowInvalid,
        pa.ArrowMemoryError,
        pa.ArrowIndexError,  # corrupt pages: an entry that their dictionary does not have
    )
    return "replay" if isinstance(error, expected) else "error"


@lru_cache(maxsize=64)
def _decoded(text: str) -> Fragment:
    from broadhead.plan.decode import decode_fragment

    return decode_fragment(text)


def _run(text: str, frames: Iterator[Frame], metrics: Metrics) -> Iterator[Frame]:
    from broadhead.worker.execution import record_batches
    from broadhead.worker.sources import TaskHeader, TaskSources

    fragment = _decoded(text)
    header = TaskHeader(next(frames))
    sources = TaskSources(fragment, header, frames, metrics)
    for batch in record_batches(fragment, header, sources, metrics):
        for piece in _pieces(batch):
            start = time.perf_counter_ns()
            body = piece.serialize()
            metrics.add(fragment.root.id, "encodeTime", time.perf_counter_ns() - start)
            yield Frame("A", body)


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    count = max(1, -(-batch.nbytes // FRAME_BYTES))
    rows = max(1, -(-batch.num_rows // count))
    for start in range(0, max(1, batch.num_rows), rows):
        yield batch.slice(start, rows)
