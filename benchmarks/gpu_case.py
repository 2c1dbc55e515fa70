#!/usr/bin/env python3
"""Runs queries of TPC-H on one engine, and says how busy each GPU was meanwhile.

    python benchmarks/gpu_case.py --engine both.toml --data .data --scale 1 --output both.json

The rows of each query are written beside the output; with `--same-as` they are compared with those
of another case. It needs pyspark, pyarrow and nvidia-smi.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from broadhead.demo.compare import difference
from broadhead.demo.data import make_data
from broadhead.demo.queries import TABLES, Query, load_query, parse_numbers
from engine import EngineError, EngineProcess, load_engine

_SAMPLES = (
    "nvidia-smi",
    "--query-gpu=index,utilization.gpu,memory.used",
    "--format=csv,noheader,nounits",
    "-lms",
    "200",
)


def main() -> int:
    """Run the case; 1 if a query failed or its rows differ."""
    chosen = _arguments()
    deadline = time.monotonic() + chosen.deadline
    folder = make_data(chosen.data / "tpch", chosen.scale).resolve()
    log = chosen.output.with_suffix(".log")
    conf = {"spark.ui.enabled": "false", "spark.log.level": "WARN"}
    process = EngineProcess(load_engine(str(chosen.engine)), conf, log)
    case = _Case(process, chosen.output, chosen.same_as, deadline)
    found: dict[str, Any] = {"scale": chosen.scale, "queries": {}, "gpus": []}
    try:
        process.start()
        views = {"do": "views", "tables": {t: str(folder / t) for t in TABLES}}
        # on a cluster the first job waits for the executors
        process.request(views, deadline - time.monotonic())
        queries = [load_query(number, chosen.scale) for number in parse_numbers(chosen.queries)]
        for query in queries:
            found["queries"][query.label] = case.first(query)
        with _sampled(log.with_suffix(".smi"), found["gpus"]):
            for query in queries:
                answer = found["queries"][query.label]
                if "error" not in answer:
                    answer["seconds"] = case.seconds(query)
    except EngineError as error:
        found["error"] = str(error)
    finally:
        process.stop()
        chosen.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))
    wrong = [query for query in found["queries"].values() if "error" in query]
    return 1 if wrong or "error" in found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run queries and watch the GPUs.")
    add = parser.add_argument
    add("--engine", type=Path, required=True, help="TOML file of the engine")
    add("--scale", type=float, default=1.0, help="scale factor of the data (%(default)s)")
    add("--queries", default="1,3,5,9,18,21", help="queries (%(default)s)")
    add("--data", type=Path, default=Path(".data"), help="folder of the data (%(default)s)")
    add("--output", type=Path, required=True, help="JSON file")
    add("--same-as", type=Path, help="JSON file of another case, whose rows these have to be")
    add("--deadline", type=float, default=300.0, help="seconds for all queries (%(default)s)")
    return parser.parse_args()


class _Case:
    """The queries of one case."""

    def __init__(
        self, process: EngineProcess, output: Path, same_as: Path | None, deadline: float
    ) -> None:
        self._process = process
        self._output = output
        self._same_as = same_as
        self._deadline = deadline

    def first(self, query: Query) -> dict[str, Any]:
        """The first run of a query, whose rows are compared."""
        rows = _rows(self._output, query)
        found = self._run(query, str(rows))
        answer: dict[str, Any] = {
            "first_seconds": round(found["seconds"], 3),
            "accelerated": found["accelerated"],
        }
        if self._same_as is not None:
            columns, actual = pickle.loads(rows.read_bytes())
            _, expected = pickle.loads(_rows(self._same_as, query).read_bytes())
            differs = difference(query, columns, expected, actual)
            answer["same_rows"] = differs is None
            if differs is not None:
                answer["error"] = f"differs: {differs}"
        return answer

    def seconds(self, query: Query) -> float:
        """The seconds of a further run."""
        return round(float(self._run(query, None)["seconds"]), 3)

    def _run(self, query: Query, rows: str | None) -> dict[str, Any]:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise EngineError(f"{query.label} was not run: the time is used up")
        return self._process.request({"do": "run", "sql": query.sql, "rows": rows}, left)


def _rows(output: Path, query: Query) -> Path:
    return output.with_name(f"{output.stem}-{query.label}.rows")


@contextmanager
def _sampled(file: Path, gpus: list[dict[str, Any]]) -> Iterator[None]:
    """Append, for each GPU of the host, how it was used while the block ran."""
    with file.open("wb") as output:
        watcher = subprocess.Popen(_SAMPLES, stdout=output)
    try:
        yield
    finally:
        watcher.terminate()
        watcher.wait()
        gpus.extend(_usage(file.read_text(encoding="utf-8")))


def _usage(samples: str) -> list[dict[str, Any]]:
    used: dict[str, list[tuple[int, int]]] = {}
    for line in samples.splitlines():
        index, *numbers = line.replace(" ", "").split(",")
        # the last line may be cut off
        if len(numbers) == 2 and all(number.isdigit() for number in numbers):
            used.setdefault(index, []).append((int(numbers[0]), int(numbers[1])))
    return [
        {
            "index": index,
            "samples": len(found),
            "busy": round(sum(share > 0 for share, _ in found) / len(found), 3),
            "memory_mib": max(memory for _, memory in found),
        }
        for index, found in sorted(used.items())
    ]


if __name__ == "__main__":
    sys.exit(main())
