"""The section of Broadhead in the text of a plan, as `EXPLAIN` prints it."""

from __future__ import annotations

import re

from broadhead.explanation import Explanation, PlanNode

_SUMMARY = re.compile(r"Broadhead: (\d+) of (\d+) operators accelerated")
_FUNCTIONS = re.compile(r" \{([^{}]*)\}\s*$")
_REASONS = re.compile(r"\[([^\[\]]+(?:\[[^\[\]]*\][^\[\]]*)*)\]\s*$")


def parse_explain_text(text: str) -> Explanation | None:
    """Parse the section; None for a text without it."""
    summary = _SUMMARY.search(text)
    if summary is None:
        return None
    lines = text[: summary.start()].splitlines()
    heading = max((i for i, line in enumerate(lines) if line.startswith("==")), default=-1)
    nodes = tuple(_node(line) for line in lines[heading + 1 :] if line.strip())
    reasons = dict.fromkeys(reason for node in nodes for reason in node.reasons)
    return Explanation(int(summary[1]), int(summary[2]), tuple(reasons), nodes)


def _node(line: str) -> PlanNode:
    bracket = _REASONS.search(line)
    tree = line[: bracket.start()] if bracket else line
    functions = _FUNCTIONS.search(tree)
    tree = tree[: functions.start()] if functions else tree
    name = tree.lstrip(" :+-*").rstrip()
    reasons = tuple(bracket[1].split("; ")) if bracket else ()
    depth = (len(tree) - len(tree.lstrip(" :+-*"))) // 3
    of_functions = tuple(functions[1].split("; ")) if functions else ()
    return PlanNode(depth, name, name.startswith("Broadhead"), reasons, of_functions)
