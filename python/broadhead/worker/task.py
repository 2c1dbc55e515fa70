"""What runs in Spark's Python worker: one fragment of one task.

The plugin's command names `make`, `DESERIALIZER` and `SERIALIZER` of this module: the worker calls
`make(json)` once a task, the result with the task's frames, and writes the frames that come back.
"""

from __future__ import annotations

import json
import time
import traceback
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from broadhead.errors import BroadheadError, ShuffleBlockError
from broadhead.worker import latency
from broadhead.worker.frames import Frame, FrameDeserializer, FrameSerializer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.operators.context import Metrics
    from broadhead.plan.nodes import Fragment

DESERIALIZER = FrameDeserializer()
SERIALIZER = FrameSerializer()


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


def _describe(error: Exception) -> dict[str, Any]:
    """The body of an error frame."""
    message: dict[str, Any] = {
        "kind": _kind(error),
        "reason": f"{type(error).__name__}: {error}",
        "traceback": "".join(traceback.format_exception(error)),
    }
    if isinstance(error, ShuffleBlockError):
        message |= {"path": error.path, "offset": error.offset}
    return message


def _kind(error: Exception) -> Literal["replay", "error", "shuffle"]:
    """`replay` for what is in the data or the files, `error` for what is wrong with us.

    `shuffle` for a shuffle block that its map task must write again.
    """
    import pyarrow as pa

    if isinstance(error, ShuffleBlockError):
        return "shuffle"
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
    from broadhead.operators.exchange.broadcast_cache import CACHE
    from broadhead.worker.execution import ShuffleAnswer, answers
    from broadhead.worker.sources import TaskHeader, TaskSources

    fragment = _decoded(text)
    header = TaskHeader(next(frames))
    CACHE.keep(header.live_broadcasts)
    sources = TaskSources(fragment, header, frames, metrics)
    for answer in answers(fragment, header, sources, metrics):
        if isinstance(answer, ShuffleAnswer):
            yield Frame("S", answer.to_json())
            continue
        for piece in header.pieces.of(answer):
            start = time.perf_counter_ns()
            body = piece.serialize()
            metrics.add(fragment.root.id, "encodeTime", time.perf_counter_ns() - start)
            yield Frame("A", body)
