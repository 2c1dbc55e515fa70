"""One task on several streams of a GPU: threads that each run the fragment on some of its splits.

While the kernels of one thread run, others read and decompress. Threads of one process share the
device's context; processes take turns with theirs (measured: 4 threads are 1.8 times as fast).
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from broadhead.operators.context import Metrics, Sources, Split

if TYPE_CHECKING:
    import pyarrow as pa

    from broadhead.operators.context import Broadcast, SampleCounts
    from broadhead.shuffle.reader import Segment

WAITING_BATCHES = 2
"""Batches of each stream that wait for the task's thread."""

_LOOK_SECONDS = 0.1

FILES_PER_SHARE = 2
"""Files per stream below which the splits of one file are divided among streams."""

Given = TypeVar("Given")

RunPart: TypeAlias = Callable[[Sources, Metrics, Callable[[], bool]], Iterator[Given]]
"""Runs the fragment on some sources: its batches."""


@dataclass
class Share:
    """The splits of one stream, and the task's broadcasts by their source numbers."""

    shared: dict[int, list[Split]]
    broadcasts: Mapping[int, Broadcast] = field(default_factory=dict)
    size: int = 0
    metrics: Metrics = field(default_factory=Metrics)

    def splits(self, node_id: int) -> Sequence[Split]:
        """The splits of a scan that this stream reads."""
        return self.shared.get(node_id, [])

    def branch(self, node_id: int) -> int | None:
        """Raises AssertionError: a fragment with a union is not divided."""
        raise AssertionError(f"a divided fragment has no union {node_id}")

    def batches(self, source: int) -> Iterator[pa.RecordBatch]:
        """Raises AssertionError: a fragment with a row source is not divided."""
        raise AssertionError(f"a divided fragment has no row source {source}")

    def part(self, node_id: int) -> int:
        """Raises AssertionError: a fragment with a range, local table or sample is not divided."""
        raise AssertionError(f"a divided fragment has no partition of node {node_id}")

    def sample_counts(self, node_id: int) -> SampleCounts:
        """Raises AssertionError: a fragment with a sample is not divided."""
        raise AssertionError(f"a divided fragment has no sample {node_id}")

    def segments(self, source: int) -> Iterator[Segment]:
        """Raises AssertionError: a fragment that reads a shuffle is not divided."""
        raise AssertionError(f"a divided fragment has no shuffle {source}")

    def broadcast(self, source: int) -> Broadcast:
        """A broadcast; every stream reads all of it."""
        return self.broadcasts[source]


def divide(
    splits: dict[int, Sequence[Split]],
    parts: int,
    broadcasts: Mapping[int, Broadcast] | None = None,
) -> list[Share]:
    """Up to `parts` shares of about the same number of bytes.

    The splits of a file stay together if there are enough files: one call then reads them all.
    """
    shares = [Share({}, broadcasts or {}) for _ in range(parts)]
    for node_id, all_splits in splits.items():
        files: dict[object, list[Split]] = {}
        for split in all_splits:
            files.setdefault((split.file, split.partition_values), []).append(split)
        if len(files) < FILES_PER_SHARE * parts:
            files = {number: [split] for number, split in enumerate(all_splits)}
        for together in sorted(files.values(), key=_bytes, reverse=True):
            smallest = min(shares, key=lambda share: share.size)
            smallest.shared.setdefault(node_id, []).extend(together)
            smallest.size += _bytes(together)
    return [share for share in shares if share.shared]


def _bytes(splits: Sequence[Split]) -> int:
    return sum(split.length for split in splits)


def run_shares(
    shares: Sequence[Share], run_part: RunPart[Given], metrics: Metrics, stopped: Callable[[], bool]
) -> Iterator[Given]:
    """The batches of all shares, as they arrive. Raises the first error after all have ended."""
    # a stream waits while this many batches, which may be in the device's memory, are not taken
    results: queue.Queue[Given | None] = queue.Queue(WAITING_BATCHES * len(shares))
    failed = ended = False

    def put(result: Given | None) -> None:
        while not ended:
            try:
                results.put(result, timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            return

    def work(share: Share) -> None:
        nonlocal failed
        try:
            for batch in run_part(share, share.metrics, lambda: failed or ended or stopped()):
                put(batch)
        except BaseException:
            failed = True
            raise
        finally:
            put(None)

    with ThreadPoolExecutor(len(shares), "broadhead-stream") as pool:
        futures = [pool.submit(work, share) for share in shares]
        running = len(shares)
        try:
            while running:
                batch = results.get()
                if batch is None:
                    running -= 1
                else:
                    yield batch
        finally:
            ended = True
        for future in futures:
            future.result()
    for share in shares:
        for name, value in share.metrics.values.items():
            metrics.values[name] = metrics.values.get(name, 0) + value
