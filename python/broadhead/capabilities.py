"""capabilities.json: the functions that the planner may use; see docs/wire-format.md, section 3.

`python -m broadhead.capabilities` writes the file next to this module; with `--check` it exits with
status 1 if the file differs from the registries.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import ANY, NESTED, functions
from broadhead.plan.decode import node_classes
from broadhead.version import VERSION
from broadhead.window_functions.registry import window_functions

if TYPE_CHECKING:
    from broadhead.aggregates.registry import Aggregate
    from broadhead.functions.registry import Function
    from broadhead.levels import Level
    from broadhead.registry import ArgumentTypes, Entry, Signature

PATH = Path(__file__).with_name("capabilities.json")
REFRESH = "python -m broadhead.capabilities"


def capabilities() -> dict[str, Any]:
    """The content of capabilities.json."""
    return {
        "version": VERSION,
        "types": sorted(ANY),
        "passThrough": sorted(NESTED),
        "expressions": {name: _function(f) for name, f in sorted(functions().items())},
        "aggregates": {name: _aggregate(a) for name, a in sorted(aggregates().items())},
        "windows": {name: _entry(w) for name, w in sorted(window_functions().items())},
        "operators": dict(sorted(operator_levels().items())),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "signatures": [
            _signature(s, entry.level_of(s)) | _since(entry.since or s.since)
            for s in entry.signatures
        ],
        "fields": {
            name: allowed if allowed == "any" else list(allowed)
            for name, allowed in sorted(entry.fields.items())
        },
        "note": entry.note,
    } | _level(entry.weakest_level)


def _level(level: Level) -> dict[str, Any]:
    return {} if level == "exact" else {"level": level}


def _since(version: str) -> dict[str, Any]:
    return {"since": version} if version else {}


def operator_levels() -> dict[str, Level]:
    """The level of each operator of Spark that the engine runs."""
    return {name: node.level for node in node_classes() for name in node.operators}


def _function(entry: Function) -> dict[str, Any]:
    lag = {"lag": entry.lag} if entry.lag else {}
    return _entry(entry) | lag | ({"onHost": True} if entry.on_host else {})


def _aggregate(aggregate: Aggregate) -> dict[str, Any]:
    limits = {"frames": False} if not aggregate.frames else {}
    phases = {"wholeGroups": True} if aggregate.whole_groups else {}
    phases |= {"wholeTasks": True} if aggregate.whole_tasks else {}
    return _entry(aggregate) | {"filter": aggregate.filter} | limits | phases


def _signature(signature: Signature, level: Level) -> dict[str, Any]:
    message: dict[str, Any] = {
        "args": [_types(types) for types in signature.args],
        "returns": sorted(signature.returns),
        "variadic": signature.variadic,
        "literal": list(signature.literal),
    }
    if signature.values:
        message["values"] = {
            str(position): list(values) for position, values in sorted(signature.values.items())
        }
    return message | _level(level)


def _types(types: ArgumentTypes) -> str | list[str]:
    return "same" if types == "same" else sorted(types)


def text() -> str:
    """capabilities.json as it is committed: one line for each function."""
    lines = []
    for key, value in capabilities().items():
        if key in {"expressions", "aggregates", "windows"}:
            entries = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f" {json.dumps(key)}: {{\n{entries}\n }}")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Write the file, or check it."""
    if arguments == ["--check"]:
        if PATH.is_file() and PATH.read_text(encoding="utf-8") == text():
            return 0
        print(f"{PATH} differs from the registries; refresh it with: {REFRESH}", file=sys.stderr)
        return 1
    if arguments:
        print(f"unknown arguments {arguments}; use --check or nothing", file=sys.stderr)
        return 2
    PATH.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
