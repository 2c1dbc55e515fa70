"""The queries that ran in a cell: their operators, times, and reasons to stay with Spark."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.explanation import evaluated_by_spark
from broadhead.html_output.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TIMES = "Times are added up over all tasks. Those of Spark's operators include the operators below."

_SPARK_TIMES = (
    "scanTime",
    "sortTime",
    "aggTime",
    "buildTime",
    "shuffleWriteTime",
    "pythonTotalTime",
)
"""Spark's metrics of the time of an operator outside of generated code."""

_NO_LINE = re.compile(r" at (NativeMethodAccessorImpl\.java|<unknown>):\d+$")
_CELL_LINE = re.compile(r" at \S*(?:ipykernel_|<ipython-input)\S*:(\d+)$")
_ACTIONS = {"collectToPython": "collect", "showString": "show", "htmlString": "display"}
"""What the user called, by the JVM's methods for it."""


@dataclass(frozen=True, slots=True)
class CellOperator:
    """An operator of a query that ran.

    Attributes
    ----------
    depth, name, accelerated
        Its position in the plan, and whether it ran in Broadhead.
    notes
        Why it stays with Spark, or how its Python functions are computed.
    rows
        The rows that it returned.
    time
        Nanoseconds, added up over all tasks. Spark's times include those of the operators below.
    gpu_tasks, replays
        At the root of a fragment: its tasks on a GPU, and those that Spark's operators repeated.
    spark_code
        At the root of a fragment: the time of Spark's code that evaluated expressions for it.
    """

    depth: int
    name: str
    accelerated: bool
    notes: tuple[str, ...]
    rows: int | None
    time: int | None
    gpu_tasks: int = 0
    replays: int = 0
    spark_code: int = 0

    @classmethod
    def from_json(cls, node: Mapping[str, Any]) -> CellOperator:
        """Read an element of the JSON of `QueryWatch`."""
        metrics, times = node["metrics"], node["times"]
        if node["accelerated"]:
            time = metrics.get("time")
        else:
            own = [times[name] for name in _SPARK_TIMES if name in times]
            time = node.get("pipelineTime", sum(own) if own else None)
        return cls(
            node["depth"],
            node["name"],
            node["accelerated"],
            tuple(node["reasons"] or node["functions"]),
            metrics.get("numOutputRows"),
            time,
            metrics.get("device", 0),
            metrics.get("replays", 0),
            metrics.get("sparkTime", 0),
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the operator, or an expression of it, stays with Spark."""
        if not self.accelerated:
            return self.notes
        return tuple(f"by Spark's code: {text}" for text in evaluated_by_spark(self.notes))


@dataclass(frozen=True, slots=True)
class CellQuery:
    """A query that ran in a cell: what was called, its nanoseconds, its error, its operators."""

    title: str
    time: int
    error: str | None
    operators: tuple[CellOperator, ...]

    @property
    def accelerated(self) -> int:
        """The number of operators in Broadhead."""
        return sum(operator.accelerated for operator in self.operators)

    @classmethod
    def from_json(cls, query: Mapping[str, Any]) -> CellQuery:
        """Read an element of the JSON of `QueryWatch`."""
        error = query["error"].strip().partition("\n")[0] if query["error"] else None
        operators = tuple(map(CellOperator.from_json, query["operators"]))
        return cls(_title(query["title"]), query["time"], error, operators)


@dataclass(frozen=True, slots=True)
class OperatorTotal:
    """All operators of one name in the queries of a cell."""

    name: str
    accelerated: bool
    operators: int
    rows: int | None
    time: int | None


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason to stay with Spark, with the number of operators of each name."""

    text: str
    operators: Mapping[str, int]

    @property
    def operators_line(self) -> str:
        """The operators on one line."""
        return ", ".join(
            name if number == 1 else f"{number} {name}" for name, number in self.operators.items()
        )


@dataclass(frozen=True, slots=True)
class CellQueries:
    """The queries that ran in a cell: prints as text, shows as tables in a notebook.

    Attributes
    ----------
    queries
        The slowest, in the order in which they started.
    others, others_time
        The number of the other queries, and their nanoseconds.
    """

    queries: tuple[CellQuery, ...]
    others: int = 0
    others_time: int = 0

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> CellQueries:
        """Read the JSON of `QueryWatch`."""
        queries = tuple(map(CellQuery.from_json, found["slowest"]))
        described = sum(query.time for query in queries)
        return cls(queries, found["queries"] - len(queries), found["time"] - described)

    @property
    def summary(self) -> str:
        """One line: how much ran, and where."""
        total = len(self.queries) + self.others
        if not total:
            return "Broadhead: no query of Spark ran in this cell"
        time = self.others_time + sum(query.time for query in self.queries)
        parts = [
            f"Broadhead: {_counted(total, 'query', 'queries')}, {time / 1e9:,.2f} s",
            f"{sum(q.accelerated for q in self.queries)} of "
            f"{sum(len(q.operators) for q in self.queries)} operators accelerated"
            + (" in those shown" if self.others else ""),
        ]
        code = sum(operator.spark_code for operator in self._operators)
        if code:
            parts.append(f"{code / 1e9:,.2f} s of their tasks in Spark's code")
        tasks = sum(operator.gpu_tasks for operator in self._operators)
        if tasks:
            parts.append(f"{_counted(tasks, 'task', 'tasks')} on a GPU")
        replays = sum(operator.replays for operator in self._operators)
        if replays:
            parts.append(f"{_counted(replays, 'task', 'tasks')} replayed by Spark")
        return ", ".join(parts)

    @property
    def others_line(self) -> str:
        """One line about the queries that are not described."""
        queries = _counted(self.others, "shorter query", "shorter queries")
        return f"and {queries}, {self.others_time / 1e9:,.2f} s" if self.others else ""

    @property
    def by_operator(self) -> tuple[OperatorTotal, ...]:
        """The operators of all queries by name, the longest first."""
        found: dict[tuple[str, bool], list[CellOperator]] = {}
        for operator in self._operators:
            found.setdefault((operator.name, operator.accelerated), []).append(operator)
        totals = [
            OperatorTotal(
                name,
                accelerated,
                len(operators),
                _sum(operator.rows for operator in operators),
                _sum(operator.time for operator in operators),
            )
            for (name, accelerated), operators in found.items()
        ]
        return tuple(sorted(totals, key=lambda total: (-(total.time or 0), total.name)))

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why operators and expressions stay with Spark, the most frequent first."""
        found: dict[str, Counter[str]] = {}
        for operator in self._operators:
            for text in operator.reasons:
                found.setdefault(text, Counter())[operator.name] += 1
        ordered = sorted(found.items(), key=lambda item: -item[1].total())
        return tuple(Reason(text, operators) for text, operators in ordered)

    @property
    def _operators(self) -> Iterable[CellOperator]:
        return (operator for query in self.queries for operator in query.operators)

    def __str__(self) -> str:
        from broadhead.notebook.cell_text import text_of

        return text_of(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return render(
            "cell_queries",
            found=self,
            times=TIMES,
            slowest=max((query.time for query in self.queries), default=0) or 1,
            longest=max((total.time or 0 for total in self.by_operator), default=0) or 1,
        )


def _title(description: str) -> str:
    """Give what the user called, and the line of the cell where Spark knows it."""
    line = _CELL_LINE.search(description)
    called = _CELL_LINE.sub("", _NO_LINE.sub("", description))
    called = _ACTIONS.get(called, called) or "query"
    return f"{called}, line {line[1]}" if line else called


def _sum(values: Iterable[int | None]) -> int | None:
    """Give the sum of what was measured; None if nothing was."""
    measured = [value for value in values if value is not None]
    return sum(measured) if measured else None


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
