#!/usr/bin/env python3
"""Fits the ratios by which `broadhead qualify` estimates, to queries measured on both engines.

    python benchmarks/event_log_calibration.py --log LOG --runs 3 \
        --results benchmarks/results/cpu2-tpch-sf1.json benchmarks/results/cpu2-tpch-sf1-busy.json

LOG is the event log of plain Spark from an invocation of `run.py --suite tpch` with
`--conf spark.eventLog.enabled=true`; RUNS is how often each query ran in it. It gives the shares of
a query's time. The results, one file or several, have the times of both engines. The ratios go to
python/broadhead/event_logs/calibration.json, with the error of each query when the other queries
alone are fitted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from broadhead.event_logs.application import ApplicationReader
from broadhead.event_logs.estimate import CALIBRATION, IDLE, KINDS, START, times_by_kind
from broadhead.event_logs.logs import find_logs
from broadhead.event_logs.operator_times import OperatorTimes
from broadhead.event_logs.qualification import judge

_PARTS = (*KINDS, IDLE)
_PENALTY = 0.05
_STEPS = 20000
_TENTH = 10

Measured = dict[str, Any]


def main() -> None:
    """Fit, judge by leaving each query out, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--log", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--results", type=Path, nargs="+", required=True)
    parser.add_argument("--output", type=Path, default=CALIBRATION)
    chosen = parser.parse_args()
    queries = [
        query | {"results": path.name}
        for path in chosen.results
        for query in measured(chosen.log, chosen.runs, json.loads(path.read_text()))
    ]
    outcomes = [_left_out(queries, query) for query in queries]
    errors = [abs(outcome["estimated"] / outcome["measured"] - 1) for outcome in outcomes]
    quotients = sorted(outcome["estimated"] / outcome["measured"] for outcome in outcomes)
    cut = len(quotients) // _TENTH
    document = {
        "ratios": {"spark": 1.0, **_ratios(_fit(queries))},
        # The real time is the estimated one times the quotient of the two speed-ups.
        "range": [round(quotients[cut], 3), round(quotients[-1 - cut], 3)],
        "median_error": round(statistics.median(errors), 3),
        "largest_error": round(max(errors), 3),
        "queries": outcomes,
    }
    chosen.output.write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(document, indent=1))


def measured(log: str, runs: int, results: Measured) -> list[Measured]:
    """Give shares, Spark's time and Broadhead's time of each query that has all its runs."""
    [found] = find_logs([log], {})
    executions = [q for q in ApplicationReader(found).queries() if q.ended and q.stages]
    collected = [q for q in executions if q.description.startswith("collect at")]
    queries = []
    for index, row in enumerate(results["summary"]):
        own = collected[index * runs : (index + 1) * runs]
        if len(own) < runs:
            break
        best = min(own, key=lambda query: query.wall_ms)
        running = {id(node) for node, reasons in judge(best.plan) if not reasons}
        parts = times_by_kind(best, OperatorTimes(best), running)
        spark_s = row["engines"]["spark"]["best_s"]
        queries.append(
            {
                "query": row["measurement"],
                "parts": {kind: ms / best.wall_ms * spark_s for kind, ms in parts.items()},
                "spark_s": spark_s,
                "broadhead_s": row["engines"]["broadhead"]["best_s"],
            }
        )
    return queries


def _left_out(queries: list[Measured], query: Measured) -> Measured:
    """Estimate one query by the ratios that the others give, on all machines."""
    ratios = _fit([other for other in queries if other["query"] != query["query"]])
    estimated = float(_row(query) @ ratios)
    return {
        "query": query["query"],
        "results": query["results"],
        "measured": round(query["spark_s"] / query["broadhead_s"], 3),
        "estimated": round(query["spark_s"] / estimated, 3),
    }


def _row(query: Measured) -> np.ndarray:
    return np.array([1.0, *(query["parts"].get(kind, 0.0) for kind in _PARTS)])


def _fit(queries: list[Measured]) -> np.ndarray:
    """Give the start time and ratios, none below 0, with the least relative error.

    A penalty keeps the ratios near the one of all queries together: the few queries that have a
    kind of operator do not decide about it alone.
    """
    times = np.array([query["broadhead_s"] for query in queries])
    rows = np.array([_row(query) for query in queries])
    fixed = sum(query["parts"].get("spark", 0.0) for query in queries)
    common = (times.sum() - fixed) / max(1e-9, rows[:, 1:].sum())
    prior = np.array([0.0, *([common] * len(_PARTS))])
    targets = 1 - np.array([q["parts"].get("spark", 0.0) for q in queries]) / times
    scaled = rows / times[:, None]
    weight = _PENALTY * len(queries)
    gram = scaled.T @ scaled + weight * np.eye(len(prior))
    right = scaled.T @ targets + weight * prior
    step = 1 / np.linalg.norm(gram, 2)
    ratios = prior.copy()
    for _ in range(_STEPS):
        ratios = np.maximum(0.0, ratios - step * (gram @ ratios - right))
    return ratios


def _ratios(fitted: np.ndarray) -> dict[str, float]:
    """Give the ratios by kind, and the start time in milliseconds."""
    start, *others = (float(value) for value in fitted)
    return {START: round(1000 * start, 1)} | {
        kind: round(value, 4) for kind, value in zip(_PARTS, others, strict=True)
    }


if __name__ == "__main__":
    main()
