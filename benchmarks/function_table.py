#!/usr/bin/env python3
"""Writes docs/function-times.md from results of the suite sql_functions.

python benchmarks/function_table.py benchmarks/results/cpu2-sql-functions.json \
    --gpu benchmarks/results/h200-sql-functions.json --page docs/function-times.md
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suites.sql_functions import Call, calls, columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BASELINE = "spark"
_NONE = "-"
_HEAD = """\
# Times of functions

Nanoseconds a row of a query for each function that Broadhead computes by columns, in plain Spark
and with Broadhead. Each query reads its columns from Parquet, calls the function and aggregates the
values: `benchmarks/run.py --suite sql_functions`. The engines take turns, the figures are the best
of the timed runs, and a ratio above 1 says that Broadhead is faster. "function" is what remains
without a query that only reads the same columns (and groups them, for aggregates); small
differences are noise.
"""
_COMMAND = "This page is written by `benchmarks/function_table.py`."


@dataclass(frozen=True)
class Figures:
    """Times of one invocation, in nanoseconds a row.

    Attributes
    ----------
    engine
        The engine beside plain Spark.
    clock
        What is compared: `best_cpu_s`, of all processes together, or `best_s`, by the wall clock.
    """

    results: dict[str, Any]
    engine: str
    clock: str

    def of(self, measurement: str, engine: str) -> float | None:
        """Of a whole query; None where it was not measured."""
        for row in self.results["summary"]:
            if row["measurement"] == measurement and engine in row["engines"]:
                rows: int = self.results["extra"]["rows"][measurement]
                seconds: float = row["engines"][engine][self.clock]
                return 1e9 * seconds / rows
        return None

    def whole(self, call: Call) -> list[str]:
        """Cells: Spark, the engine, and how many times as fast it is."""
        spark, own = (self.of(call.name, engine) for engine in (_BASELINE, self.engine))
        ratio = _NONE if spark is None or own is None else f"{spark / own:.2f}"
        return [_cell(spark), _cell(own), ratio]

    def alone(self, call: Call) -> list[str]:
        """Cells: Spark and the engine, without the query that does all but the function."""
        return [_cell(self._alone(call, engine)) for engine in (_BASELINE, self.engine)]

    def _alone(self, call: Call, engine: str) -> float | None:
        rows = self.results["extra"]["rows"]
        whole = self.of(call.name, engine)
        for name in (call.base, call.of_table("many").base):
            if name is not None and rows.get(name) == rows.get(call.name):
                base = self.of(name, engine)
                return None if whole is None or base is None else whole - base
        return None

    def _rows(self) -> list[int]:
        return sorted(set(self.results["extra"]["rows"].values()))

    def described(self) -> str:
        """The machine and the versions."""
        machine = self.results["machine"]
        versions = self.results["versions"]
        device = ", ".join(machine["gpus"]) or machine["cpu"]
        return (
            f"{device}, {self.results['options']['cores']} cores, "
            f"{' or '.join(f'{rows:,}' for rows in self._rows())} rows, "
            f"Spark {versions[_BASELINE]['spark']}"
        )


def page(cpu: Figures, gpu: Figures | None) -> Iterator[str]:
    """The lines of the page."""
    yield _HEAD
    yield f'"CPU" is the CPU time of all processes, on the kernels of Arrow: {cpu.described()}.'
    if gpu is None:
        yield "There is no run on a GPU host yet."
    else:
        yield f'"GPU" is the time by the clock, on the kernels of cuDF: {gpu.described()}.'
    yield f"{_COMMAND}\n"
    heads = [
        "name",
        "call",
        "Spark, CPU",
        "Broadhead, CPU",
        "ratio",
        "function: Spark",
        "function: Broadhead",
    ]
    yield _line([*heads, "Spark, GPU host", "Broadhead, GPU", "ratio"])
    yield "|---" * 10 + "|"
    for call in calls(columns()):
        measured = [*cpu.whole(call), *cpu.alone(call)]
        measured += gpu.whole(call) if gpu else [_NONE] * 3
        yield _line([_code(call.name), _code(call.text), *measured])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write the page of the functions' times.")
    parser.add_argument("cpu", type=Path, help="results of the engines spark and broadhead")
    parser.add_argument("--gpu", type=Path, help="results of the engines spark and broadhead-gpu")
    parser.add_argument("--page", type=Path, help="file to write (standard output)")
    chosen = parser.parse_args(arguments)
    gpu = Figures(_read(chosen.gpu), "broadhead-gpu", "best_s") if chosen.gpu else None
    text = "\n".join(page(Figures(_read(chosen.cpu), "broadhead", "best_cpu_s"), gpu)) + "\n"
    if chosen.page:
        chosen.page.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _cell(nanoseconds: float | None) -> str:
    return _NONE if nanoseconds is None else f"{nanoseconds:,.0f}"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
