"""Sources of a fragment that runs in a Spark task."""

from __future__ import annotations

import base64
import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.errors import EngineLimit
from broadhead.files.deletion_vector import DeletionVector
from broadhead.files.fetched_file import FetchedFile
from broadhead.files.input_file import LocalFile
from broadhead.operators.context import Metrics, Split
from broadhead.plan import nodes
from broadhead.plan.decode import decode_value
from broadhead.plan.traversal import find, walk
from broadhead.shuffle.reader import Segment
from broadhead.worker.jvm_batches import read_batch
from broadhead.worker.results import BatchLimits
from broadhead.worker.sample_counts import SocketCounts
from broadhead.worker.socket_broadcast import SocketBroadcast
from broadhead.worker.socket_files import SocketFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.files.input_file import InputFile
    from broadhead.worker.frames import Frame


class TaskHeader:
    """The first frame of a task."""

    def __init__(self, frame: Frame) -> None:
        if frame.tag != "T":
            raise ValueError(f"the first frame must be a task header, not {frame.tag!r}")
        message = json.loads(bytes(frame.body))
        self.partition: int = message["partition"]
        running = message.get("running")
        self.running_file = Path(running) if running is not None else None
        self.cpu_only: bool = message.get("cpuOnly", False)
        self.gpu_min_bytes: int | None = message.get("gpuMinBytes")
        self.device_functions: bool = message.get("deviceFunctions", False)
        gpu_permits = message.get("gpuPermits")
        self.gpu_permits = Path(gpu_permits) if gpu_permits is not None else None
        self.spill_directories: list[str] = message["spillDirectories"]
        self.branches: dict[str, int] = message.get("branches", {})
        self.splits: dict[str, list[dict[str, Any]]] = message["splits"]
        self.batch_limits = BatchLimits.of_header(message.get("pieces"))
        self.held_back: bool = message.get("heldBack", False)
        self.parts: dict[str, int] = message.get("parts", {})
        shuffle_file = message.get("shuffleFile")
        self.shuffle_file = Path(shuffle_file) if shuffle_file is not None else None
        self.shuffles: dict[str, list[dict[str, Any]]] = message.get("shuffles", {})
        self.broadcasts = {
            int(source): SocketBroadcast(**named)
            for source, named in message.get("broadcasts", {}).items()
        }
        self.live_broadcasts: list[str] = message.get("liveBroadcasts", [])
        self.counts: dict[str, str] = message.get("counts", {})
        self.files: str | None = message.get("files")
        self.lines: str | None = message.get("lines")
        self.collations: str | None = message.get("collations")
        self.expressions: str | None = message.get("expressions")

    def stopped(self) -> bool:
        """Whether the JVM wants no more batches, or its task has ended: its file is deleted."""
        return self.running_file is not None and not self.running_file.exists()

    @property
    def local_bytes(self) -> int:
        """Bytes of all splits, of shuffle blocks in local files, and of broadcasts."""
        listed = (*self.splits.values(), *self.shuffles.values())
        total: int = sum(part["length"] for parts in listed for part in parts)
        return total + sum(broadcast.bytes for broadcast in self.broadcasts.values())


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
        self._files = SocketFiles(header.files, metrics)
        # frames come in one stream, and several threads may read ahead
        self._lock = threading.Lock()
        self._received = False

    @property
    def can_restart(self) -> bool:
        """Whether everything can be read a second time: files can, received frames cannot."""
        return not self._received

    def splits(self, node_id: int) -> Sequence[Split]:
        """The splits of a scan, with their partition values decoded."""
        node = self._nodes[node_id]
        assert isinstance(node, nodes.FileScan)
        types = node.output[len(node.data_columns) :]
        data_types = {attribute.name: attribute.type for attribute in node.output}
        return [
            Split(
                self._file(node_id, split),
                split["start"],
                split["length"],
                tuple(
                    decode_value(value, attribute.type)
                    for value, attribute in zip(split["partitionValues"], types, strict=True)
                ),
                {
                    name: decode_value(value, data_types[name])
                    for name, value in split.get("constants", {}).items()
                },
                _deleted_rows(split),
                split.get("isFiltered", True),
                _deletion_vector(split),
            )
            for split in self._header.splits.get(str(node_id), [])
        ]

    def _file(self, node_id: int, split: dict[str, Any]) -> InputFile:
        remote = split.get("remote")
        if remote is None:
            return LocalFile(split["path"])
        return FetchedFile(
            node_id, split["path"], remote["length"], remote["modified"], self._files
        )

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


def _deleted_rows(split: dict[str, Any]) -> np.ndarray[Any, Any] | None:
    """The positions of the split's deleted rows.

    Raises `EngineLimit` where the JVM could not find out.
    """
    if split.get("limit") is not None:
        raise EngineLimit(split["limit"])
    encoded = split.get("deletedRows")
    return None if encoded is None else np.frombuffer(base64.b64decode(encoded), "<i8")


def _deletion_vector(split: dict[str, Any]) -> DeletionVector | None:
    found = split.get("deletionVector")
    return None if found is None else DeletionVector(found["marked"], found["drops"])


def _arrived_bytes(arrival: pa.RecordBatch | Segment) -> int:
    return arrival.length if isinstance(arrival, Segment) else int(arrival.nbytes)
