"""The header of a task: its first frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadhead.operators.kept_blocks import KeptRange
from broadhead.worker.results import BatchLimits
from broadhead.worker.socket_broadcast import SocketBroadcast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.worker.frames import Frame


def _broadcast(kept: Sequence[Mapping[str, Any]] = (), **named: Any) -> SocketBroadcast:
    return SocketBroadcast(**named, kept=[KeptRange(**range_) for range_ in kept])


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
        self.memory: int | None = message.get("memory")
        self.spill_directories: list[str] = message["spillDirectories"]
        self.branches: dict[str, int] = message.get("branches", {})
        self.splits: dict[str, list[dict[str, Any]]] = message["splits"]
        self.batch_limits = BatchLimits.of_header(message.get("resultLimits"))
        self.held_back: bool = message.get("heldBack", False)
        self.parts: dict[str, int] = message.get("parts", {})
        shuffle_file = message.get("shuffleFile")
        self.shuffle_file = Path(shuffle_file) if shuffle_file is not None else None
        self.shuffles: dict[str, list[dict[str, Any]]] = message.get("shuffles", {})
        self.kept_as: str | None = message.get("keptAs")
        self.dropped_blocks: list[str] = message.get("droppedBlocks", [])
        self.broadcasts = {
            int(source): _broadcast(**named)
            for source, named in message.get("broadcasts", {}).items()
        }
        self.live_broadcasts: list[str] = message.get("liveBroadcasts", [])
        self.counts: dict[str, str] = message.get("counts", {})
        self.files: str | None = message.get("files")
        self.lines: str | None = message.get("lines")
        self.collations: str | None = message.get("collations")
        self.expressions: str | None = message.get("expressions")

    @property
    def kept_ranges(self) -> dict[int, list[KeptRange]]:
        """The blocks of each shuffle that this process keeps, by source number."""
        return {
            int(source): [KeptRange(s["path"], *s["kept"]) for s in segments if s.get("kept")]
            for source, segments in self.shuffles.items()
        }

    def stopped(self) -> bool:
        """Whether the JVM wants no more batches, or its task has ended: its file is deleted."""
        return self.running_file is not None and not self.running_file.exists()

    @property
    def local_bytes(self) -> int:
        """Bytes of all splits, of shuffle blocks in local files, and of broadcasts."""
        listed = (*self.splits.values(), *self.shuffles.values())
        total: int = sum(part["length"] for parts in listed for part in parts)
        return total + sum(broadcast.bytes for broadcast in self.broadcasts.values())
