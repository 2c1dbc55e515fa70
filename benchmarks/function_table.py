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
_LEFT = "left to Spark"
_HEAD = """\
# Times of functions

Nanoseconds a row of a query for each function that Broadhead computes by columns, in plain Spark
and with Broadhead. Each query reads its columns from Parquet, calls the function and aggregates the
values: `benchmarks/run.py --suite sql_functions`. The engines take turns, the figures are the best
of the timed runs, and a ratio above 1 says that Broadhead is faster. "function" is what remains
without a query that only reads the same columns (and groups them, for aggregates); small
differences are noise. "left to Spark" is a query for which Broadhead's estimate of costs expects
Spark to be faster: in larger fragments such functions run here.
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

    @property
    def rows(self) -> dict[str, int]:
        """The rows of each measurement."""
        found: dict[str, int] = self.results["extra"]["rows"]
        return found

    def has(self, call: Call) -> bool:
        """Whether both engines were measured."""
        return None not in {self.of(call.name, engine) for engine in (_BASELINE, self.engine)}

    def of(self, measurement: str, engine: str) -> float | None:
        """Of a whole query; None where it was not measured."""
        for row in self.results["summary"]:
            if row["measurement"] == measurement and engine in row["engines"]:
                seconds: float = row["engines"][engine][self.clock]
                return 1e9 * seconds / self.rows[measurement]
        return None

    def whole(self, call: Call) -> list[str]:
        """Cells: Spark, the engine, and how many times as fast it is."""
        spark, own = (self.of(call.name, engine) for engine in (_BASELINE, self.engine))
        if spark is None or own is None:
            return [_NONE] * 3
        accelerated = self.results["accelerated"]
        if accelerated and self.engine not in accelerated.get(call.name, ()):
            return [_cell(spark), _LEFT, _NONE]
        return [_cell(spark), _cell(own), f"{spark / own:.2f}"]

    def alone(self, call: Call) -> list[str]:
        """Cells: Spark and the engine, without the query that does all but the function."""
        if _LEFT in self.whole(call):
            return [_NONE] * 2
        return [_cell(self._alone(call, engine)) for engine in (_BASELINE, self.engine)]

    def _alone(self, call: Call, engine: str) -> float | None:
        for name in (call.base, call.of_table("many").base):
            if name is not None and self.rows.get(name) == self.rows.get(call.name):
                whole, base = self.of(call.name, engine), self.of(name, engine)
                return None if whole is None or base is None else whole - base
        return None

    def described(self) -> str:
        """The machine and the versions."""
        machine = self.results["machine"]
        device = ", ".join(machine["gpus"]) or machine["cpu"]
        rows = " or ".join(f"{rows:,}" for rows in sorted(set(self.rows.values())))
        version = self.results["versions"][_BASELINE]["spark"]
        return f"{device}, {self.results['options']['cores']} cores, {rows} rows, Spark {version}"


def page(cpu: Sequence[Figures], gpu: Sequence[Figures]) -> Iterator[str]:
    """The lines of the page; of several invocations the last one that has a function counts."""
    yield _HEAD
    yield '"CPU" is the CPU time of all processes, on the kernels of Arrow:\n'
    yield from (f"- {figures.described()}" for figures in cpu)
    yield '\n"GPU" is the time by the clock, on the kernels of cuDF:\n'
    yield from (f"- {figures.described()}" for figures in gpu)
    if not gpu:
        yield "- not measured yet"
    yield f"\n{_COMMAND}\n"
    heads = ["name", "call", "Spark, CPU", "Broadhead, CPU", "ratio"]
    heads += ["function: Spark", "function: Broadhead"]
    yield _line([*heads, "Spark, GPU host", "Broadhead, GPU", "ratio"])
    yield "|---" * 10 + "|"
    for call in calls(columns()):
        on_cpu, on_gpu = _last(cpu, call), _last(gpu, call)
        measured = [*on_cpu.whole(call), *on_cpu.alone(call)] if on_cpu else [_NONE] * 5
        measured += on_gpu.whole(call) if on_gpu else [_NONE] * 3
        yield _line([_code(call.name), _code(call.text), *measured])


def _last(invocations: Sequence[Figures], call: Call) -> Figures | None:
    return next((figures for figures in reversed(invocations) if figures.has(call)), None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write the page of the functions' times.")
    add = parser.add_argument
    add("cpu", type=Path, nargs="+", help="results of spark and one more engine, on Arrow")
    add("--gpu", type=Path, nargs="*", default=[], help="results of the same on a GPU host")
    add("--page", type=Path, help="file to write (standard output)")
    chosen = parser.parse_args(arguments)
    cpu = _invocations(chosen.cpu, "best_cpu_s")
    gpu = _invocations(chosen.gpu, "best_s")
    text = "\n".join(page(cpu, gpu)) + "\n"
    if chosen.page:
        chosen.page.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def _invocations(paths: Sequence[Path], clock: str) -> list[Figures]:
    """The figures of these files in the order of time."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return [
        Figures(results, next(name for name in results["engines"] if name != _BASELINE), clock)
        for results in sorted(found, key=lambda results: results["started"])
    ]


def _cell(nanoseconds: float | None) -> str:
    return _NONE if nanoseconds is None else f"{nanoseconds:,.0f}"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
