"""The context that a fragment's operators share while they run."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from broadhead.errors import Stopped
from broadhead.expressions.program import Evaluator, Services
from broadhead.operators.task_memory import TaskMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa

    from broadhead.columns import Batch
    from broadhead.expressions.programs import Programs
    from broadhead.expressions.spark_calls import SparkExpressions
    from broadhead.files.deletion_vector import DeletionVector
    from broadhead.files.input_file import InputFile
    from broadhead.kernels.interface import Collations, Kernels
    from broadhead.operators.kept_blocks import KeptRange, MapOutput
    from broadhead.operators.user_functions import UserFunctions
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Settings, Zone
    from broadhead.shuffle.block import Rows
    from broadhead.shuffle.reader import Segment
    from broadhead.shuffle.writer import ShuffleWriter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Split:
    """The part of a file that a task reads: the rows that its format gives to these bytes."""

    file: InputFile
    start: int
    length: int
    partition_values: tuple[Any, ...]
    """Python forms of literals, one for each partition column of the scan."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """The values of data columns that are the same in all rows, whatever the file has."""
    deleted_rows: np.ndarray[Any, Any] | None = field(default=None, compare=False)
    """Positions in the file of rows that are not in the table, ascending int64."""
    is_filtered: bool = True
    """Whether rows may be skipped by the scan's filters."""
    deletion_vector: DeletionVector | None = None
    """The deleted rows of the file, if some are."""


class SampleCounts(Protocol):
    """A sample's numbers of copies, one for each row of a task's partition, in order."""

    def take(self, rows: int) -> pa.Array:
        """The numbers for the next `rows` rows: int64, not negative."""


class Broadcast(Protocol):
    """Rows that are the same for every task; each broadcast has a unique name."""

    @property
    def name(self) -> str:
        """The unique name."""

    @property
    def bytes(self) -> int:
        """The size of all messages."""

    @property
    def kept(self) -> Sequence[KeptRange]:
        """Kept map outputs that have the same rows in any order; nothing if there are none."""

    def messages(self) -> Iterator[pa.Buffer]:
        """Its rows as Arrow record batch messages, read anew for each call."""


class LineParser(Protocol):
    """Spark's own parser of lines of text."""

    def rows(
        self, scan: int, lines: Sequence[bytes], schema: pa.Schema
    ) -> tuple[Any, pa.RecordBatch]:
        """How many rows each line has, an array of numpy, and all rows, of node `scan`.

        Raises `EngineLimit` if there is no parser, or Spark raises.
        """


class Sources(Protocol):
    """The sources of a fragment's leaves."""

    def splits(self, node_id: int) -> Sequence[Split]:
        """The splits of a scan."""

    def branch(self, node_id: int) -> int | None:
        """The number of the child that a union runs in this task; None for all of them."""

    def batches(self, source: int) -> Iterator[pa.RecordBatch]:
        """The batches of a row source, in the layout of Spark's `ArrowUtils.toArrowSchema`."""

    def part(self, node_id: int) -> int:
        """The number of the task's partition of a node that creates or samples rows."""

    def sample_counts(self, node_id: int) -> SampleCounts:
        """The number of copies of each row of the task in a sample with replacement, in order."""

    def segments(self, source: int) -> Iterator[Segment]:
        """The blocks of a shuffle, local files first."""

    def broadcast(self, source: int) -> Broadcast:
        """A broadcast, shared by all tasks of a process."""


class Metrics:
    """Counters by node, with the names of docs/wire-format.md; times are nanoseconds."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def add(self, node_id: int, name: str, amount: int) -> None:
        """Add to a counter."""
        key = f"{node_id}.{name}"
        self.values[key] = self.values.get(key, 0) + amount


def _never() -> bool:
    return False


MOST_BATCH_BYTES = 64 << 20
"""A batch of usual columns has less; one of long texts would have gigabytes."""

BATCHES_OF_PART = 8
"""Batches that fit in the memory of a task: operators hold some, with copies of their rows."""


@dataclass(slots=True, repr=False)
class Run:
    """One run of a fragment: what its task gives, and from its start on what its operators share.

    A task gives counters to fill, directories for spill files, its memory, a test for stopping
    early, and the number of its partition. `shuffle_writer` receives the rows of a ShuffleWrite;
    runs on several streams share it. `kept_output` receives them instead where the process keeps
    them, and `kept_ranges` are the blocks that it keeps, by the source number of the shuffle.
    `shuffled` are the rows of shuffles that are read ahead, by their source numbers. `collations`
    computes collation keys. `spark_expressions` evaluates what the engine does not have.
    `line_parser` reads lines that the engine leaves to Spark. `user_functions` calls the user's
    Python functions. `row_counts` are the rows of each counter. `file_statistics` are the buffers
    of the statistics of a table file, once it has all rows.
    """

    metrics: Metrics = field(default_factory=Metrics)
    spill_directories: Sequence[str] = ()
    memory: TaskMemory = field(default_factory=TaskMemory)
    stopped: Callable[[], bool] = _never
    partition: int = 0
    shuffle_writer: ShuffleWriter | None = None
    kept_output: MapOutput | None = None
    kept_ranges: Mapping[int, Sequence[KeptRange]] = field(default_factory=dict)
    shuffled: Mapping[int, Iterator[Rows]] = field(default_factory=dict)
    collations: Collations | None = None
    spark_expressions: SparkExpressions | None = None
    line_parser: LineParser | None = None
    user_functions: UserFunctions | None = None
    row_counts: dict[int, int] = field(default_factory=dict)
    file_statistics: list[pa.RecordBatch] = field(default_factory=list)
    kernels: Kernels = field(init=False)
    settings: Settings = field(init=False)
    sources: Sources = field(init=False)
    programs: Programs = field(init=False)
    """The fragment's programs, which other runs use at the same time."""
    spill_directory: Callable[[], Path] = field(init=False)
    """The directory of the next spill file, private to the run."""
    inclusive: dict[int, int] = field(init=False, default_factory=dict)
    """Nanoseconds of each node with its children."""
    _shared: dict[type[Any], Any] = field(init=False, default_factory=dict)

    def started(
        self,
        kernels: Kernels,
        settings: Settings,
        sources: Sources,
        programs: Programs,
        spill_directory: Callable[[], Path],
    ) -> Run:
        """A run of its own, which can compute; what the task gives stays shared with this one."""
        run = replace(self)
        run.kernels, run.settings, run.sources = kernels, settings, sources
        run.programs, run.spill_directory = programs, spill_directory
        return run

    @property
    def zones(self) -> Mapping[str, Zone]:
        """The fragment's time zones by name."""
        return self.programs.zones

    def compile(self, expressions: Sequence[Expression]) -> Evaluator:
        """The expressions, compiled once for the fragment, over this run's batches."""
        services = Services(self.collations, self.spark_expressions, self.row_counts)
        return Evaluator(self.programs.of(self.kernels, expressions, services), services)

    @property
    def batch_bytes(self) -> int:
        """Memory of a batch, in bytes, from which it has fewer rows than it may have.

        A device has batches as large as its memory allows.
        """
        if self.kernels.device.name == "gpu":
            return sys.maxsize
        part = self.memory.limit or sys.maxsize
        return min(MOST_BATCH_BYTES, part // BATCHES_OF_PART)

    def must_spill(self, held: int) -> bool:
        """Whether an operator that holds rows of so many bytes must spill them."""
        limited = self.settings.operators_limited or self.memory.limit is None
        if limited and held > self.settings.operator_memory:
            return True
        return self.memory.is_short(held)

    def shared(self, kind: type[T]) -> T:
        """The one object of a class that operators of this run share, made at its first use."""
        return cast("T", self._shared.setdefault(kind, kind()))

    def measure(self, node_id: int, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches, counted and timed.

        Ends with `Stopped` if the reader wants no more batches.
        """
        self.inclusive[node_id] = 0
        while True:
            if self.stopped():
                raise Stopped
            start = time.perf_counter_ns()
            batch = next(batches, None)
            self.inclusive[node_id] += time.perf_counter_ns() - start
            if batch is None:
                return
            self.metrics.add(node_id, "batches", 1)
            self.metrics.add(node_id, "rows", batch.length)
            yield batch
