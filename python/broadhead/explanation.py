"""The accelerated operators of a DataFrame's plan, and the reasons for the others."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.html_output.rendering import render

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_EXPLAIN = "org.apache.spark.sql.broadhead.application.BroadheadExplain"
_SUMMARY = re.compile(r"Broadhead: (\d+) of (\d+) operators accelerated")
_FUNCTIONS = re.compile(r" \{([^{}]*)\}\s*$")
_REASONS = re.compile(r"\[([^\[\]]+(?:\[[^\[\]]*\][^\[\]]*)*)\]\s*$")


@dataclass(frozen=True, slots=True)
class PlanNode:
    """An operator of the plan: its depth, whether it is accelerated, and the reasons if not.

    `functions` says of each of its Python functions whether it is called, and why.
    """

    depth: int
    name: str
    accelerated: bool
    reasons: tuple[str, ...]
    functions: tuple[str, ...] = ()


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
            + (f"  {{{'; '.join(node.functions)}}}" if node.functions else "")
            + (f"  [{'; '.join(node.reasons)}]" if node.reasons else "")
            for node in self.nodes
        ]
        return "\n".join([*(lines or self.reasons), self.summary])

    __repr__ = __str__

    @property
    def summary(self) -> str:
        """One line: how many operators are accelerated."""
        return f"Broadhead: {self.accelerated} of {self.total} operators accelerated"

    def _repr_html_(self) -> str:
        return render("explanation", explanation=self)


def explain(frame: DataFrame) -> Explanation:
    """Give the accelerated operators of a DataFrame's physical plan. Nothing is run for this."""
    if hasattr(frame, "_jdf"):
        return _explain_classic(frame)
    return parse_explain_text(frame._explain_string(extended=True))


def _explain_classic(frame: Any) -> Explanation:
    from py4j.java_gateway import JavaClass
    from py4j.protocol import Py4JError

    # By its full name: py4j looks for a class of each package's name on the whole class path.
    explainer = JavaClass(_EXPLAIN, frame.sparkSession.sparkContext._gateway._gateway_client)
    try:
        explain_json = explainer.json
    except Py4JError:
        return _without_plugin(frame)
    found = json.loads(explain_json(frame._jdf.queryExecution().executedPlan()))
    nodes = tuple(
        PlanNode(
            node["depth"],
            node["name"],
            node["accelerated"],
            tuple(node["reasons"]),
            tuple(node["functions"]),
        )
        for node in found["nodes"]
    )
    return Explanation(found["accelerated"], found["total"], tuple(found["reasons"]), nodes)


def _without_plugin(frame: Any) -> Explanation:
    total = len(frame._jdf.queryExecution().executedPlan().toString().strip().splitlines())
    return Explanation(0, total, ("this session runs without Broadhead: see broadhead doctor",))


def parse_explain_text(text: str) -> Explanation:
    """Parse the extended explain of a Spark Connect server."""
    summary = _SUMMARY.search(text)
    if summary is None:
        return Explanation(0, 0, ("the server's explain has no lines of Broadhead",))
    lines = text[: summary.start()].splitlines()
    heading = max((i for i, line in enumerate(lines) if line.startswith("==")), default=-1)
    nodes = tuple(_text_node(line) for line in lines[heading + 1 :] if line.strip())
    reasons = dict.fromkeys(reason for node in nodes for reason in node.reasons)
    return Explanation(int(summary[1]), int(summary[2]), tuple(reasons), nodes)


def _text_node(line: str) -> PlanNode:
    bracket = _REASONS.search(line)
    tree = line[: bracket.start()] if bracket else line
    functions = _FUNCTIONS.search(tree)
    tree = tree[: functions.start()] if functions else tree
    name = tree.lstrip(" :+-*").rstrip()
    reasons = tuple(bracket[1].split("; ")) if bracket else ()
    depth = (len(tree) - len(tree.lstrip(" :+-*"))) // 3
    of_functions = tuple(functions[1].split("; ")) if functions else ()
    return PlanNode(depth, name, name.startswith("Broadhead"), reasons, of_functions)
