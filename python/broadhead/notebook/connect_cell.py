"""What can be told of a cell with a Spark Connect session: the plans of its DataFrames."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.explanation import Explanation, explain
from broadhead.html_output.rendering import render
from broadhead.notebook.progress import RemoteTasks, Tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

_EXPLAINED = 10


@dataclass(frozen=True, slots=True)
class ConnectCell:
    """The DataFrames of a cell by their variables: prints as text, shows as tables.

    Attributes
    ----------
    queries, seconds
        How many queries ran, and how long the cell took.
    frames
        The DataFrames that the cell made or ran.
    others
        The number of further DataFrames.
    """

    queries: int
    seconds: float
    frames: tuple[tuple[str, Explanation], ...]
    others: int

    @property
    def summary(self) -> str:
        """One line: how much ran."""
        queries = "1 query" if self.queries == 1 else f"{self.queries} queries"
        return f"Broadhead: {queries} on the Spark Connect server, {self.seconds:,.2f} s"

    @property
    def note(self) -> str:
        """One line about what is not shown."""
        if not self.frames:
            return "The cell has no DataFrame in a variable, so no plan can be shown."
        return f"and {self.others} more DataFrames" if self.others else ""

    def __str__(self) -> str:
        plans = [f"{name}\n{explanation}" for name, explanation in self.frames]
        return "\n\n".join(filter(None, [self.summary, *plans, self.note]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return render("connect_cell", found=self)


class ConnectWatch:
    """The watch over a Spark Connect session during a cell."""

    def __init__(self, session: SparkSession, namespace: Mapping[str, Any]) -> None:
        self._session = session
        self._namespace = namespace
        self._before = {name: _state(frame) for name, frame in self._frames().items()}
        self._remote = RemoteTasks()
        self._started = time.monotonic()
        session.registerProgressHandler(self._remote)

    @property
    def tasks(self) -> Tasks | None:
        """The tasks that run now; None if there is none."""
        return self._remote.tasks

    def finish(self) -> object:
        """End the watch and explain the DataFrames that the cell made or ran."""
        seconds = time.monotonic() - self._started
        self._session.removeProgressHandler(self._remote)
        frames = [
            (name, frame)
            for name, frame in self._frames().items()
            if self._before.get(name) != _state(frame)
        ]
        explained = tuple((name, _explanation(frame)) for name, frame in frames[:_EXPLAINED])
        queries = len(self._remote.queries)
        return ConnectCell(queries, seconds, explained, len(frames) - len(explained))

    def _frames(self) -> dict[str, DataFrame]:
        """Give the DataFrames in the user's variables; IPython's own have an underscore."""
        from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame

        return {
            name: value
            for name, value in list(self._namespace.items())
            if isinstance(value, ConnectFrame) and not name.startswith("_")
        }


def _state(frame: Any) -> tuple[int, int]:
    """Give what changes when a variable gets another DataFrame, or when this one runs."""
    return id(frame), id(frame.executionInfo)


def _explanation(frame: DataFrame) -> Explanation:
    from pyspark.errors import PySparkException

    try:
        return explain(frame)
    except PySparkException as error:
        return Explanation(0, 0, (str(error).partition("\n")[0],))
