"""The accelerated operators of a DataFrame's plan, and the reasons for the others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.html_output.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame

_EXPLAIN = "org.apache.spark.sql.broadhead.planning.BroadheadExplain"
_NO_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
_BY_SPARK = "Spark evaluates an expression: "
"""How the plugin begins what it says of an expression that Spark's code evaluates."""


@dataclass(frozen=True, slots=True)
class PlanNode:
    """An operator of the plan: its depth, whether it is accelerated, and the reasons if not.

    `functions` says of each of its Python functions whether it is called, and why. `levels` says
    what in it is not exact (docs/compatibility.md).
    """

    depth: int
    name: str
    accelerated: bool
    reasons: tuple[str, ...]
    functions: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def by_spark(self) -> tuple[str, ...]:
        """Why Spark's code evaluates expressions of the operator for its fragment."""
        return evaluated_by_spark(self.functions) if self.accelerated else ()


def evaluated_by_spark(notes: Iterable[str]) -> tuple[str, ...]:
    """The reasons in what the plugin says of the functions of an accelerated operator."""
    return tuple(note.removeprefix(_BY_SPARK) for note in notes if note.startswith(_BY_SPARK))


@dataclass(frozen=True, slots=True)
class Explanation:
    """The accelerated operators: prints as text, shows as a table in a notebook.

    Attributes
    ----------
    accelerated, total
        Operators that run in Broadhead, and all operators.
    reasons
        Why the others stay with Spark, each reason once.
    nodes
        The operators, root first.
    """

    accelerated: int
    total: int
    reasons: tuple[str, ...]
    nodes: tuple[PlanNode, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{'*' if node.accelerated else ' '} {'   ' * node.depth}{node.name}"
            + (f"  ({'; '.join(node.levels)})" if node.levels else "")
            + (f"  {{{'; '.join(node.functions)}}}" if node.functions else "")
            + (f"  [{'; '.join(node.reasons)}]" if node.reasons else "")
            for node in self.nodes
        ]
        return "\n".join([*lines, *self.of_the_application, self.summary])

    __repr__ = __str__

    @property
    def of_the_application(self) -> tuple[str, ...]:
        """The reasons that no operator has: why Broadhead is switched off, with the remedy."""
        own = {reason for node in self.nodes for reason in node.reasons}
        return tuple(reason for reason in self.reasons if reason not in own)

    @property
    def summary(self) -> str:
        """One line: how many operators are accelerated."""
        counted = f"Broadhead: {self.accelerated} of {self.total} operators accelerated"
        evaluated = sum(bool(node.by_spark) for node in self.nodes)
        return counted + (
            f", {evaluated} of them with expressions by Spark's code" if evaluated else ""
        )

    def _repr_html_(self) -> str:
        return render("explanation", explanation=self)


def explain(frame: DataFrame) -> Explanation:
    """Give the accelerated operators of a DataFrame's physical plan. Nothing is run for this."""
    return _explain_here(frame) if hasattr(frame, "_jdf") else _explain_on_server(frame)


def _explain_here(frame: Any) -> Explanation:
    from py4j.java_gateway import JavaClass
    from py4j.protocol import Py4JError

    # By its full name: py4j looks for a class of each package's name on the whole class path.
    explainer = JavaClass(_EXPLAIN, frame.sparkSession.sparkContext._gateway._gateway_client)
    try:
        explain_json = explainer.json
    except Py4JError:
        return _without_plugin(frame)
    return explanation_of(json.loads(explain_json(frame._jdf.queryExecution().executedPlan())))


def _explain_on_server(frame: Any) -> Explanation:
    """Ask a Spark Connect server, whose text of a plan may be cut off and is not for programs."""
    from pyspark.errors import AnalysisException

    # Errors of the user's own query are raised here, and not taken for those of the function.
    frame.schema  # noqa: B018
    function = "SELECT explanation FROM broadhead_explain('{query}')"
    try:
        rows = frame.sparkSession.sql(function, query=frame).collect()
    except AnalysisException as error:
        if error.getCondition() != _NO_FUNCTION:
            raise
        reason = (
            "the Spark Connect server runs without Broadhead, or with an older one: start it with "
            "the plugin"
        )
        return Explanation(0, 0, (reason,))
    return explanation_of(json.loads(rows[0].explanation))


def explanation_of(found: Mapping[str, Any]) -> Explanation:
    """Give the explanation that the plugin has written as JSON."""
    nodes = tuple(
        PlanNode(
            node["depth"],
            node["name"],
            node["accelerated"],
            tuple(node["reasons"]),
            tuple(node["functions"]),
            tuple(node.get("levels", ())),
        )
        for node in found["nodes"]
    )
    return Explanation(found["accelerated"], found["total"], tuple(found["reasons"]), nodes)


def _without_plugin(frame: Any) -> Explanation:
    total = len(frame._jdf.queryExecution().executedPlan().toString().strip().splitlines())
    return Explanation(0, total, ("this session runs without Broadhead: see broadhead doctor",))
