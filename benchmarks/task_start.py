"""How long a warm worker takes from the first byte of a small task to its first batch.

The engine runs without Spark: 200 tasks of one fragment (a filter, a projection, a join with a
small table and a partial aggregation), each over a Parquet file of its own, in one process.

    python benchmarks/task_start.py --output FILE
    python benchmarks/task_start.py --before CHECKOUT/python    # in turns with another package
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import commit, machine, versions

TASKS = 200
ROWS = 500
REPOSITORY = Path(__file__).resolve().parent.parent

LONG, DOUBLE, INTEGER, STRING, BOOLEAN = "long", "double", "integer", "string", "boolean"
SALES = {"item": LONG, "price": DOUBLE, "quantity": INTEGER, "name": STRING}
ITEMS = {"id": LONG, "kind": STRING}


class _Output:
    """The worker's output stream, which remembers when the first frame came."""

    first: tuple[int, int] | None = None

    def write(self, data: bytes) -> int:
        self.first = self.first or _now()
        return len(data)

    def flush(self) -> None:
        """Nothing is kept."""


def _now() -> tuple[int, int]:
    return time.perf_counter_ns(), time.process_time_ns()


def measure(folder: Path) -> dict[str, dict[str, float]]:
    """Milliseconds of the tasks after a round that is not counted: median and first decile."""
    from broadhead.worker.frames import Frame
    from broadhead.worker.spark_channel import SparkWorkerChannel
    from broadhead.worker.task_run import run_task

    text = json.dumps(_fragment())
    times: list[list[int]] = []
    for task in range(2 * TASKS):
        header = json.dumps(_header(folder, task % TASKS)).encode()
        output = _Output()
        start = _now()
        # as in a worker, every task brings its own copy of the text
        run_task(text[:1] + text[1:], SparkWorkerChannel(iter([Frame("T", header)]), output))  # type: ignore[arg-type]
        end = _now()
        assert output.first is not None
        if task >= TASKS:
            points = (output.first, end)
            times.append([b - a for p in points for a, b in zip(start, p, strict=True)])
    names = ("first_batch_ms", "first_batch_cpu_ms", "task_ms", "task_cpu_ms")
    deciles = [statistics.quantiles(column, n=10) for column in zip(*times, strict=True)]
    return {
        kind: {name: round(found[n] / 1e6, 3) for name, found in zip(names, deciles, strict=True)}
        for kind, n in (("median", 4), ("first_decile", 0))
    }


def _header(folder: Path, task: int) -> dict[str, Any]:
    def split(path: Path) -> dict[str, Any]:
        return {
            "path": str(path),
            "start": 0,
            "length": path.stat().st_size,
            "partitionValues": [],
        }

    splits = {
        "4": [split(folder / f"sales-{task}.parquet")],
        "6": [split(folder / "items.parquet")],
    }
    return {"partition": task, "spillDirectories": [], "splits": splits}


def _fragment() -> dict[str, Any]:
    import broadhead

    settings = {"device": "cpu", "ansi": True, "timeZone": "UTC"}
    root = _aggregate(_projection(_join(_filter(_scan(4, SALES)), _scan(6, ITEMS))))
    return {"version": broadhead.__version__, "settings": settings, "zones": {}, "root": root}


def _node(
    op: str, number: int, output: dict[str, str], *children: Any, **own: Any
) -> dict[str, Any]:
    attributes = [{"name": n, "type": t, "nullable": True} for n, t in output.items()]
    return {"op": op, "id": number, "output": attributes, "children": list(children), **own}


def _column(ordinal: int, data_type: str) -> dict[str, Any]:
    return {"class": "BoundReference", "type": data_type, "nullable": True, "ordinal": ordinal}


def _literal(value: Any, data_type: str) -> dict[str, Any]:
    return {"class": "Literal", "type": data_type, "value": value}


def _call(name: str, data_type: str, *children: Any, **fields: Any) -> dict[str, Any]:
    return {
        "class": name,
        "type": data_type,
        "nullable": True,
        "children": list(children),
        "fields": fields,
    }


def _scan(number: int, columns: dict[str, str]) -> dict[str, Any]:
    own = {"format": "parquet", "options": {}, "filters": [], "partitionColumns": []}
    return _node("FileScan", number, columns, dataColumns=list(columns), **own)


def _filter(child: Any) -> dict[str, Any]:
    price, quantity, name = (_column(1, DOUBLE), _column(2, INTEGER), _column(3, STRING))
    conditions = [
        _call("IsNotNull", BOOLEAN, _column(0, LONG)),
        _call("LessThan", BOOLEAN, price, _literal("95.0", DOUBLE)),
        _call("GreaterThan", BOOLEAN, quantity, _literal(2, INTEGER)),
        _call("Not", BOOLEAN, _call("EqualTo", BOOLEAN, name, _literal("name 5", STRING))),
    ]
    condition = conditions[0]
    for other in conditions[1:]:
        condition = _call("And", BOOLEAN, condition, other)
    return _node("Filter", 3, SALES, child, condition=condition)


def _join(left: Any, right: Any) -> dict[str, Any]:
    return _node(
        "HashJoin",
        2,
        SALES | ITEMS,
        left,
        right,
        joinType="Inner",
        buildSide="right",
        condition=None,
        leftKeys=[_column(0, LONG)],
        rightKeys=[_column(0, LONG)],
        nullAware=False,
    )


def _projection(child: Any) -> dict[str, Any]:
    price, quantity, name, kind = (
        *(_column(1, DOUBLE), _column(2, INTEGER)),
        *(_column(3, STRING), _column(5, STRING)),
    )
    many = _call("GreaterThan", BOOLEAN, quantity, _literal(10, INTEGER))
    discount = _call("If", DOUBLE, many, _literal("0.1", DOUBLE), _literal("0.0", DOUBLE))
    part = _call("Subtract", DOUBLE, _literal("1.0", DOUBLE), discount, evalMode="ANSI")
    total = _call("Multiply", DOUBLE, price, part, evalMode="ANSI")
    label = _call("Concat", STRING, _call("Upper", STRING, name), _literal("-", STRING), kind)
    shown = _call("EndsWith", BOOLEAN, name, _literal("3", STRING))
    some = _call("If", DOUBLE, shown, price, _literal(None, DOUBLE))
    output = {"kind": STRING, "total": DOUBLE, "width": INTEGER, "some": DOUBLE}
    expressions = [kind, total, _call("Length", INTEGER, label), some]
    return _node("Project", 1, output, child, expressions=expressions)


def _aggregate(child: Any) -> dict[str, Any]:
    calls = (("Sum", 1, DOUBLE), ("Max", 2, INTEGER), ("Min", 3, DOUBLE))
    aggregates = [
        {
            **_call(name, data_type, _column(ordinal, data_type), evalMode="ANSI"),
            "mode": "Partial",
            "distinct": False,
            "filter": None,
            "buffers": [{"type": data_type, "nullable": True, "ordinal": None}],
        }
        for name, ordinal, data_type in calls
    ]
    output = {"kind": STRING, "sum": DOUBLE, "max": INTEGER, "min": DOUBLE}
    results = [_column(ordinal, t) for ordinal, t in enumerate(output.values())]
    return _node(
        "HashAggregate",
        0,
        output,
        child,
        grouping=[_column(0, STRING)],
        aggregates=aggregates,
        results=results,
    )


def make_files(folder: Path) -> None:
    """The tables of the fragment."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    for task in range(TASKS):
        sales = {
            "item": random.integers(0, 100, ROWS),
            "price": random.random(ROWS) * 100,
            "quantity": random.integers(0, 50, ROWS).astype("int32"),
            "name": [f"name {n % 17}" for n in range(ROWS)],
        }
        pq.write_table(pa.table(sales), folder / f"sales-{task}.parquet")
    items = {"id": np.arange(100), "kind": [f"kind {n % 7}" for n in range(100)]}
    pq.write_table(pa.table(items), folder / "items.parquet")


def _run_in_turns(packages: dict[str, Path], runs: int, folder: Path) -> dict[str, Any]:
    found: dict[str, list[Any]] = {name: [] for name in packages}
    for _ in range(runs):
        for name, package in packages.items():
            command = [sys.executable, __file__, "--measure", str(folder)]
            environment = {**os.environ, "PYTHONPATH": str(package)}
            shown = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
            found[name].append(json.loads(shown.stdout))
            print(name, found[name][-1], flush=True)
    return found


def main() -> None:
    """Measure in processes of their own, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, help="folder of another package broadhead")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure(options.measure)))
        return
    packages = {"before": options.before} if options.before is not None else {}
    packages["now"] = REPOSITORY / "python"
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        results = _run_in_turns(packages, options.runs, Path(folder))
    if options.output is not None:
        facts = {"machine": machine(), "versions": versions(), "commit": commit(REPOSITORY)}
        results = {**facts, "tasks": TASKS, "runs": results}
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
