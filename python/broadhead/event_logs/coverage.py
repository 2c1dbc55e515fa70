"""Which operators of a query Broadhead ran, and why Spark ran the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broadhead.event_logs.explain_text import parse_explain_text
from broadhead.explanation import Explanation, PlanNode, explanation_of

if TYPE_CHECKING:
    from broadhead.event_logs import queries

_OURS = "Broadhead"
_NO_OPERATOR = re.compile(
    r"WholeStageCodegen|InputAdapter|AdaptiveSparkPlan|\w*QueryStage|AQEShuffleRead|"
    r"CustomShuffleReader|Reused|Subquery|ColumnarToRow|RowToColumnar|ResultQueryStage|"
    r"Broadhead(ShuffleRead|BroadcastRead|RowSource|ColumnarToRow|Await)|CommandResult|"
    r"PythonElements"
)


def is_operator(name: str) -> bool:
    """Say whether a node of a plan does work of its own on rows."""
    return _NO_OPERATOR.match(name) is None


def is_accelerated(name: str) -> bool:
    """Say whether a node of a plan is one of Broadhead's."""
    return name.startswith(_OURS)


def coverage(query: queries.Query) -> Explanation:
    """Give the accelerated operators of a query.

    Broadhead's own event has them; without it the plan's text has the section that `explain` shows.
    Without both, the nodes' names tell which are Broadhead's.
    """
    event = query.accelerated_plan
    if event is not None:
        return explanation_of(event)
    told = parse_explain_text(query.text)
    if told is not None:
        return told
    names = [node.name for node in query.plan.walk() if is_operator(node.name)]
    nodes = tuple(PlanNode(0, name, is_accelerated(name), ()) for name in names)
    return Explanation(sum(node.accelerated for node in nodes), len(nodes), (), nodes)
