#!/usr/bin/env python3
"""Prints the profiles of a results file of the tpch suite as a Markdown table.

python benchmarks/profile_table.py benchmarks/results/cpu2-tpch-sf1.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TASK_PARTS = ("read_s", "compute_s", "shuffle_s", "encode_s", "bridge_s", "slot_s")
_COLUMNS = (
    *("query", "seconds", "planning", "no task runs", "stages", "tasks", "task seconds"),
    *("read", "compute", "shuffle", "encode", "bridge", "GPU slot", "rest"),
)
_COUNTS = {"stages", "tasks"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if the file holds no profile of the engine."""
    parser = argparse.ArgumentParser(description="Print profiles as a Markdown table.")
    parser.add_argument("file", type=Path, help="results of the suite tpch, with profiles")
    parser.add_argument("--engine", default="broadhead", help="engine (%(default)s)")
    chosen = parser.parse_args(arguments)
    profiles = json.loads(chosen.file.read_text(encoding="utf-8"))["profiles"]
    found = {query: p[chosen.engine] for query, p in profiles.items() if chosen.engine in p}
    if not found:
        print(f"{chosen.file} has no profiles of {chosen.engine}", file=sys.stderr)
        return 1
    print("\n".join(table(found)))
    return 0


def table(profiles: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The lines: a query each, and the sums."""
    rows = [figures(profile) for profile in profiles.values()]
    yield "| " + " | ".join(_COLUMNS) + " |"
    yield "|---" * len(_COLUMNS) + "|"
    for query, row in zip(profiles, rows, strict=True):
        yield _line(query, row)
    yield _line("all", [sum(column) for column in zip(*rows, strict=True)])


def figures(profile: dict[str, Any]) -> list[float]:
    """What a query's line says, in the order of the columns."""
    planning, wall = profile["planning_s"], profile["seconds"]
    parts = [profile.get(part, 0.0) for part in _TASK_PARTS]
    waiting = max(0.0, wall - planning - profile["busy_s"])
    tasks = [profile["stages"], profile["tasks"], profile["task_s"]]
    return [wall, planning, waiting, *tasks, *parts, max(0.0, profile["task_s"] - sum(parts))]


def _line(name: str, row: Sequence[float]) -> str:
    columns = zip(_COLUMNS[1:], row, strict=True)
    cells = [f"{value:.0f}" if column in _COUNTS else f"{value:.2f}" for column, value in columns]
    return "| " + " | ".join((name, *cells)) + " |"


if __name__ == "__main__":
    sys.exit(main())
