"""Answers to the driver's questions about Python functions: which of them are expressions.

The plugin starts this in a process of its own on the driver, with the executors' Python, and sends
questions as lines of JSON: the fields of an `EvalPython` whose inputs are references, the rules of
its time zones, and the entries of Python's path for the user's modules. Each answer is a line with
a list: null for a function that is computed as an expression, else the reason why it is called.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def serve() -> None:
    """Answer until the input ends."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # what the user's modules print when they are imported is no answer
    os.dup2(2, 1)
    for line in sys.stdin:
        channel.write(json.dumps(answer(json.loads(line))) + "\n")
        channel.flush()


def answer(question: Mapping[str, Any]) -> list[str | None]:
    """The reason of each call, null if it is an expression."""
    from broadhead.plan.decode import decode_node, decode_zones
    from broadhead.plan.python_nodes import EvalPython
    from broadhead.tracing.trace import Refused
    from broadhead.worker.user_functions.traced import traced_calls

    for path in question["paths"]:
        if path not in sys.path:
            sys.path.append(path)
    node = decode_node({**question["node"], "id": 0, "output": [], "children": []})
    assert isinstance(node, EvalPython)
    found = traced_calls(node, decode_zones(question["zones"]))
    return [each.reason if isinstance(each, Refused) else None for each in found]
