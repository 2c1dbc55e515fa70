"""Answers to the driver's questions about Python functions: where they run.

The plugin starts this in a process of its own on the driver, with the executors' Python, and sends
questions as lines of JSON: the fields of a node that calls functions, the rules of its time zones,
and the entries of Python's path for the user's modules. Each answer is a line with the target of
the calls on a host with a GPU, and for each call the reason why it is not an expression, or null.
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


def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """The target of the calls, and the reason of each call, null if it is an expression."""
    from broadhead.plan.decode import decode_node, decode_zones
    from broadhead.plan.python_nodes import PythonNode
    from broadhead.worker.user_functions.placement import placed

    for path in question["paths"]:
        if path not in sys.path:
            sys.path.append(path)
    node = decode_node({**question["node"], "id": 0, "output": [], "children": []})
    assert isinstance(node, PythonNode)
    zones = decode_zones(question["zones"])
    found = placed(node, zones, trace=question["trace"], accelerate=question["accelerate"])
    return {"target": found.target, "reasons": found.reasons}
