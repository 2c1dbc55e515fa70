"""What the operators of a query did: rows, times, and the calls of Python functions."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from broadhead.html_output.rendering import render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

_PROFILE = "org.apache.spark.sql.broadhead.explanation.BroadheadProfile"
_NO_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
_COLUMNS = (
    "Operator",
    "Runs in",
    "Rows",
    "Batches",
    "Time (s)",
    "In functions (s)",
    "On GPU (s)",
    "Functions",
)
_LEFT = frozenset({0, 1, len(_COLUMNS) - 1})
"""Columns of texts, which are aligned to the left."""


@dataclass(frozen=True, slots=True)
class OperatorProfile:
    """An operator of a query that has run.

    Attributes
    ----------
    depth, name, accelerated
        Its position in the plan, and whether it ran in Broadhead.
    functions
        How each of its Python functions was computed, and why.
    calls
        The names of its Python functions.
    metrics
        Spark's metrics of the operator, added up over all tasks; times are nanoseconds.
    fallbacks
        Nanoseconds of each call inside its functions that fell back from the GPU to the CPU, with
        the line of the call, the longest first.
    """

    depth: int
    name: str
    accelerated: bool
    functions: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    metrics: Mapping[str, int] = field(default_factory=dict)
    fallbacks: Mapping[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing about its functions on a GPU, one sentence each."""
        found = [
            f"{call} of {', '.join(self.calls)} ran on the CPU for {time / 1e9:.3f} s"
            for call, time in self.fallbacks.items()
        ]
        tasks = self.metrics.get("functionsOnHost", 0)
        if tasks:
            found.append(f"{', '.join(self.calls)} went back to the CPU in {tasks} tasks")
        return tuple(found)

    @property
    def cells(self) -> tuple[str, ...]:
        """The operator as a row of the table."""
        return (
            "   " * self.depth + self.name,
            "Broadhead" if self.accelerated else "Spark",
            self._number("numOutputRows"),
            self._number("batches"),
            self._seconds("time"),
            self._seconds("pythonTime") if self.calls else "",
            self._seconds("pythonDeviceTime") if self.calls else "",
            "; ".join(self.functions or self.calls),
        )

    def _number(self, metric: str) -> str:
        value = self.metrics.get(metric)
        return f"{value:,}" if value is not None else ""

    def _seconds(self, metric: str) -> str:
        value = self.metrics.get(metric)
        return f"{value / 1e9:.3f}" if value is not None else ""


@dataclass(frozen=True, slots=True)
class QueryProfile:
    """The operators of a query that has run, root first: a table as text, and in a notebook."""

    operators: tuple[OperatorProfile, ...]

    def __str__(self) -> str:
        rows = [_COLUMNS, *(operator.cells for operator in self.operators)]
        widths = [max(len(row[n]) for row in rows) for n in range(len(_COLUMNS))]
        lines = (
            "  ".join(
                cell.ljust(width) if n in _LEFT else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )
        return "\n".join([*lines, *self._notes])

    @property
    def _notes(self) -> tuple[str, ...]:
        return tuple(note for operator in self.operators for note in operator.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return render(
            "profile", columns=_COLUMNS, left=_LEFT, operators=self.operators, notes=self._notes
        )


def profile(frame: DataFrame) -> QueryProfile:
    """Run a DataFrame, drop its rows, and give the rows, times and function calls of its operators.

    With Spark Connect the server runs it. Raises RuntimeError for a session without Broadhead.
    """
    run = _run_here if hasattr(frame, "_jdf") else _run_on_server
    return QueryProfile(tuple(_operator(node) for node in json.loads(run(frame))))


def _run_here(frame: Any) -> str:
    from py4j.java_gateway import JavaClass
    from py4j.protocol import Py4JError

    gateway = frame.sparkSession.sparkContext._gateway
    try:
        run = JavaClass(_PROFILE, gateway._gateway_client).run
    except Py4JError:
        raise RuntimeError(
            "this session runs without Broadhead, which profiles its operators: "
            "see broadhead doctor"
        ) from None
    # A query of its own, whose metrics count nothing else.
    return str(run(frame.select("*")._jdf.queryExecution()))


def _run_on_server(frame: Any) -> str:
    from pyspark.errors import AnalysisException

    profile_of = "SELECT profile FROM broadhead_profile('{query}')"
    try:
        rows = frame.sparkSession.sql(profile_of, query=frame).collect()
    except AnalysisException as error:
        if error.getCondition() != _NO_FUNCTION:
            raise
        raise RuntimeError(
            "the Spark Connect server runs without Broadhead, which profiles its operators, or "
            "with another version than its client: start the server with the plugin"
        ) from None
    return str(rows[0].profile)


def _operator(node: Mapping[str, Any]) -> OperatorProfile:
    return OperatorProfile(
        node["depth"],
        node["name"],
        node["accelerated"],
        tuple(node["functions"]),
        tuple(node["calls"]),
        node["metrics"],
        node["fallbacks"],
    )
