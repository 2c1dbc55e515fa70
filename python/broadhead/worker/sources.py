"""Sources of a fragment that runs in a Spark task."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.plan import nodes
from broadhead.plan.traversal import find, walk
from broadhead.shuffle.reader import Segment
from broadhead.worker.jvm_batches import read_batch
from broadhead.worker.sample_counts import SocketCounts
from broadhead.worker.socket_files import SocketFiles
from broadhead.worker.splits import decoded_splits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Metrics, Split
    from broadhead.worker.frames import Frame
    from broadhead.worker.socket_broadcast import SocketBroadcast
    from broadhead.worker.task_header import TaskHeader


class TaskSources:
    """The files in the task header, and the batches and blocks in the frames after it."""

    def __init__(
        self,
        fragment: nodes.Fragment,
        header: TaskHeader,
        frames: Iterator[Frame],
        metrics: Metrics,
    ) -> None:
        self._header = header
        self._frames = frames
        self._metrics = metrics
        self._root = fragment.root.id
        self._nodes = {node.id: node for node in walk(fragment.root)}
        self._schemas = {
            node.source: arrow_schema(node.output) for node in find(fragment.root, nodes.RowSource)
        }
        self._waiting: dict[int, list[pa.RecordBatch | Segment]] = {}
        self._positions: dict[int, int] = {}
        self._ended: set[int] = set()
        self._counts: dict[int, SocketCounts] = {}
        self._splits: dict[int, Sequence[Split]] = {}
        self._files = SocketFiles(header.files, metrics)
        # frames come in one stream, and several threads may read ahead
        self._lock = threading.Lock()
        self._received = False

    @property
    def can_restart(self) -> bool:
        """Whether everything can be read a second time: files can, received frames cannot."""
        return not self._received

    def splits(self, node_id: int) -> Sequence[Split]:
        """The splits of a scan, decoded once for the task."""
        found = self._splits.get(node_id)
        if found is None:
            listed = self._header.splits.get(str(node_id), [])
            node = self._nodes[node_id]
            assert isinstance(node, nodes.FileScan)
            found = self._splits[node_id] = decoded_splits(node, listed, self._files)
        return found

    def close(self) -> None:
        """Close the connections over which files are fetched."""
        self._files.close()

    def branch(self, node_id: int) -> int | None:
        """The number of the child that a union runs in this task; None for all of them."""
        return self._header.branches.get(str(node_id))

    def all_splits(self) -> dict[int, Sequence[Split]]:
        """The splits of each scan, by its node's id."""
        return {int(node_id): self.splits(int(node_id)) for node_id in self._header.splits}

    def part(self, node_id: int) -> int:
        """The number of the task's partition of a node that creates or samples rows."""
        return self._header.parts[str(node_id)]

    def sample_counts(self, node_id: int) -> SocketCounts:
        """The numbers of copies that the JVM draws for a sample, from the first row."""
        if node_id in self._counts:
            self._counts[node_id].close()
        counts = self._counts[node_id] = SocketCounts(self._header.counts[str(node_id)])
        return counts

    def batches(self, source: int) -> Iterator[pa.RecordBatch]:
        """The batches of a row source; batches of other sources that arrive first are kept."""
        return self._arrivals(source)

    def segments(self, source: int) -> Iterator[Segment]:
        """The blocks of a shuffle: those in local files, then those from other hosts."""
        for segment in self._header.shuffles.get(str(source), []):
            if segment.get("kept"):
                continue
            yield Segment(segment["path"], segment["offset"], segment["length"])
        yield from self._arrivals(source)

    @property
    def broadcasts(self) -> dict[int, SocketBroadcast]:
        """All broadcasts by source number."""
        return self._header.broadcasts

    def broadcast(self, source: int) -> SocketBroadcast:
        """A broadcast, whose rows the JVM sends on request."""
        return self._header.broadcasts[source]

    def _arrivals(self, source: int) -> Iterator[Any]:
        while True:
            with self._lock:
                waiting = self._waiting.pop(source, None)
                if waiting is None and (source in self._ended or not self._receive()):
                    return
            yield from waiting or ()

    def buffer(self, limit: int) -> int:
        """Receive up to about `limit` bytes ahead; returns the number of waiting bytes."""
        size = 0
        while size < limit and self._receive():
            size = sum(_arrived_bytes(a) for waiting in self._waiting.values() for a in waiting)
        return size

    def _receive(self) -> bool:
        start = time.perf_counter_ns()
        frame = next(self._frames, None)
        self._metrics.add(self._root, "waitTime", time.perf_counter_ns() - start)
        if frame is None:
            return False
        if frame.tag == "Z":
            self._ended.add(frame.source)
            return True
        self._received = True
        if frame.tag == "B":
            position = self._positions.get(frame.source, 0)
            data = pa.py_buffer(frame.body)
            self._positions[frame.source] = position + data.size
            segment = Segment(None, position, data.size, data)
            self._waiting.setdefault(frame.source, []).append(segment)
            return True
        batch = read_batch(frame.body, self._schemas[frame.source])
        self._waiting.setdefault(frame.source, []).append(batch)
        return True


def _arrived_bytes(arrival: pa.RecordBatch | Segment) -> int:
    return arrival.length if isinstance(arrival, Segment) else int(arrival.nbytes)
