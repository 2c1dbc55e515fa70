"""Sources of a fragment that runs in a Spark task."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.operators.context import Metrics, Split
from broadhead.plan import nodes
from broadhead.plan.decode import decode_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.worker.frames import Frame


class TaskHeader:
    """The first frame of a task."""

    def __init__(self, frame: Frame) -> None:
        if frame.tag != "T":
            raise ValueError(f"the first frame must be a task header, not {frame.tag!r}")
        message = json.loads(bytes(frame.body))
        self.partition: int = message["partition"]
        self.stop_file = Path(message["stop"])
        self.spill_directories: list[str] = message["spillDirectories"]
        self.splits: dict[str, list[dict[str, Any]]] = message["splits"]

    def stopped(self) -> bool:
        """Whether the JVM wants no more batches, or its task has ended and its files are gone."""
        return self.stop_file.exists() or not self.stop_file.parent.exists()

    @property
    def split_bytes(self) -> int:
        """Bytes of all splits."""
        return sum(split["length"] for splits in self.splits.values() for split in splits)


class TaskSources:
    """The splits in the task header and the batches in the frames that follow it."""

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
        self._nodes = {node.id: node for node in _walk(fragment.root)}
        self._schemas = {
            node.source: arrow_schema(node.output)
            for node in self._nodes.values()
            if isinstance(node, nodes.RowSource)
        }
        self._waiting: dict[int, list[pa.RecordBatch]] = {}
        self._ended: set[int] = set()

    @property
    def can_restart(self) -> bool:
        """Whether everything can be read a second time: splits can, batches cannot."""
        return not self._schemas

    def splits(self, node_id: int) -> Sequence[Split]:
        """The splits of a scan, with their partition values decoded."""
        node = self._nodes[node_id]
        assert isinstance(node, nodes.ParquetScan)
        types = node.output[len(node.data_columns) :]
        return [
            Split(
                split["path"],
                split["start"],
                split["length"],
                tuple(
                    decode_value(value, attribute.type)
                    for value, attribute in zip(split["partitionValues"], types, strict=True)
                ),
            )
            for split in self._header.splits.get(str(node_id), [])
        ]

    def all_splits(self) -> dict[int, Sequence[Split]]:
        """The splits of every scan, by its node's id."""
        return {int(node_id): self.splits(int(node_id)) for node_id in self._header.splits}

    def batches(self, source: int) -> Iterator[pa.RecordBatch]:
        """The batches of a row source; those of another that come first are kept for later."""
        while True:
            waiting = self._waiting.pop(source, None)
            if waiting is not None:
                yield from waiting
            elif source in self._ended or not self._receive():
                return

    def buffer(self, limit: int) -> int:
        """Receive up to about `limit` bytes ahead; the number of bytes that wait."""
        size = 0
        while size < limit and self._receive():
            size = sum(b.nbytes for batches in self._waiting.values() for b in batches)
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
        message = pa.ipc.read_message(pa.py_buffer(frame.body))
        batch = pa.ipc.read_record_batch(message, self._schemas[frame.source])
        self._waiting.setdefault(frame.source, []).append(batch)
        return True


def _walk(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for child in node.children:
        yield from _walk(child)
