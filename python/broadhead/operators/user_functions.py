"""The interface to the user's Python functions: batches in, batches out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import pyarrow as pa

from broadhead.columns import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broadhead.plan.python_nodes import PythonCalls, PythonNode, TableFunction
    from broadhead.types import DataType

Group = Sequence[Iterable[pa.RecordBatch]]
"""The batches of one group, of each side; at least one batch in all."""


class GroupedRows(NamedTuple):
    """Rows of whole groups, one after the other: their first rows, and those after their last."""

    rows: pa.RecordBatch
    starts: Sequence[int]
    ends: Sequence[int]


DeviceResult: TypeAlias = Batch | pa.RecordBatch
"""Results on the device, or on the host where pandas has computed them."""


class TableRows(NamedTuple):
    """Rows that a table function has returned, and how many of them for each input row.

    After the counts of all input rows may come counts of rows that belong to no input row.
    """

    counts: Sequence[int]
    rows: pa.RecordBatch


class DeviceRows(NamedTuple):
    """Rows in the memory of a GPU; `on_host` copies them into the layout of a function's batch."""

    rows: Batch
    names: Sequence[str]
    on_host: Callable[[], pa.RecordBatch]


DeviceGroup: TypeAlias = DeviceRows | tuple[DeviceRows, ...]
"""A batch or a group on a GPU, or a group of each side."""


class UserFunctions(Protocol):
    """The user's functions, called like in Spark's own Python workers.

    Batches have the columns' names and the layout of Spark's `ArrowUtils.toArrowSchema` in the
    session's time zone. Results are computed when they are asked for, in the thread that asks for
    them. An exception of a function is raised as `UserError`, one of the input as it is.
    """

    @property
    def counters(self) -> Mapping[str, int]:
        """Totals of calls on a GPU so far, by the names of metrics."""

    def over_batches(
        self, functions: PythonCalls, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """The results for the batches of a task."""

    def over_groups(
        self, functions: PythonCalls, groups: Iterable[Group]
    ) -> Iterator[pa.RecordBatch]:
        """The results for groups, one after the other."""

    def over_grouped_rows(
        self, functions: PythonCalls, batches: Iterable[GroupedRows]
    ) -> Iterator[pa.RecordBatch]:
        """Like `over_groups`, for groups of one side that lie one after the other."""

    def over_device_rows(
        self,
        node: PythonNode,
        groups: Iterable[DeviceGroup],
        output: Sequence[DataType],
    ) -> Iterator[DeviceResult]:
        """The results for batches or groups on a GPU.

        Results on the device have a column of each type of `output`, results on the host have the
        columns of `over_batches` or `over_groups`.
        """

    def over_elements(
        self, command: bytes, partition: int, elements: Iterable[bytes]
    ) -> Iterator[Sequence[object]]:
        """The rows that the functions of an RDD's partition make, some at a time.

        `command` is PySpark's pickle of the functions, `elements` are the bytes that it would read.
        """

    def over_table(
        self, functions: PythonCalls, table: TableFunction, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[TableRows]:
        """The rows that a table function returns for the batches of a task."""
