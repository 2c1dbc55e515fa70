"""The interface to the user's Python functions: batches in, batches out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.plan.python_nodes import PythonCalls, TableFunction

Group = Sequence[Iterable[pa.RecordBatch]]
"""The batches of one group, of each side; at least one batch in all."""


class TableRows(NamedTuple):
    """Rows that a table function has returned, and how many of them for each input row.

    After the counts of all input rows may come counts of rows that belong to no input row.
    """

    counts: Sequence[int]
    rows: pa.RecordBatch


class UserFunctions(Protocol):
    """The user's functions, called like in Spark's own Python workers.

    Batches have the columns' names and the layout of Spark's `ArrowUtils.toArrowSchema` in the
    session's time zone. Results are computed when they are asked for, in the thread that asks for
    them. An exception of a function is raised as `UserError`, one of the input as it is.
    """

    def over_batches(
        self, functions: PythonCalls, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """The results for the batches of a task."""

    def over_groups(
        self, functions: PythonCalls, groups: Iterable[Group]
    ) -> Iterator[pa.RecordBatch]:
        """The results for groups, one after the other."""

    def over_table(
        self, functions: PythonCalls, table: TableFunction, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[TableRows]:
        """The rows that a table function returns for the batches of a task."""
