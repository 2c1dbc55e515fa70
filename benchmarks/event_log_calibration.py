#!/usr/bin/env python3
"""Fits the ratios by which `broadhead qualify` estimates, to queries measured on both engines.

    python benchmarks/event_log_calibration.py \
        --log LOGS1 --results benchmarks/results/cpu2-tpch-sf1-logged.json \
        --log LOGS2 --results benchmarks/results/cpu2-tpcds-sf1-logged.json

Each log is followed by the results, one file or several, whose queries it has: it gives the shares
of a query's time, the results give the times on both engines. A log is the event log of plain Spark
from an invocation of `run.py` with `--conf spark.eventLog.enabled=true`, or the folder of this
invocation's logs. The ratios and the errors of each suite go to
python/broadhead/event_logs/calibration.json, the outcome of each query to
benchmarks/results/event-log-calibration.json: its estimate by the ratios that the other queries
give.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from broadhead.event_logs.application import ApplicationReader
from broadhead.event_logs.estimate import CALIBRATION, IDLE, KINDS, START, times_by_kind
from broadhead.event_logs.logs import find_logs
from broadhead.event_logs.operator_times import OperatorTimes
from broadhead.event_logs.qualification import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from broadhead.event_logs.queries import Query

_PARTS = (*KINDS, IDLE)
_PENALTY = 0.05
_STEPS = 20000
_TENTH = 10
_OUTCOMES = Path(__file__).parent / "results" / "event-log-calibration.json"

Measured = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, judge by leaving each query out, and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--log", action="append", required=True, help="event log, or folder of the engines' logs")
    add("--results", type=Path, nargs="+", action="append", required=True, help="of this log")
    add("--output", type=Path, default=CALIBRATION, help="ratios and errors (%(default)s)")
    add("--outcomes", type=Path, default=_OUTCOMES, help="each query's (%(default)s)")
    chosen = parser.parse_args(arguments)
    if len(chosen.log) != len(chosen.results):
        parser.error("each --log is followed by its own --results")
    queries = []
    for log, paths in zip(chosen.log, chosen.results, strict=True):
        executions = plain_queries(log)
        for path in paths:
            queries += measured(executions, path.name, json.loads(path.read_text()))
    outcomes = [_left_out(queries, query) for query in queries]
    document = _document(queries, outcomes)
    chosen.output.write_text(json.dumps(document, indent=1) + "\n")
    lines = ",\n".join(json.dumps(outcome) for outcome in outcomes)
    chosen.outcomes.write_text(f"[\n{lines}\n]\n")
    print(json.dumps(document, indent=1))


def plain_queries(log: str) -> list[Query]:
    """Give the finished queries of the logs at a path that ran without Broadhead."""
    found = []
    for each in find_logs([log], {}):
        reader = ApplicationReader(each)
        queries = [q for q in reader.queries() if q.ended and q.stages and not q.error]
        if "Broadhead" not in reader.application.properties.get("spark.plugins", ""):
            found += queries
    return found


def measured(executions: Sequence[Query], name: str, results: Measured) -> list[Measured]:
    """Give shares, Spark's time and Broadhead's time of each query that both engines ran."""
    queries = []
    for row in results["summary"]:
        own = [query for query in executions if query.description == row["measurement"]]
        if not own or not {"spark", "broadhead"} <= set(row["engines"]):
            continue
        best = min(own, key=lambda query: query.wall_ms)
        running = {id(node) for node, reasons in judge(best.plan) if not reasons}
        parts = times_by_kind(best, OperatorTimes(best), running)
        spark_s = row["engines"]["spark"]["best_s"]
        queries.append(
            {
                "suite": results["suite"],
                "query": row["measurement"],
                "results": name,
                "parts": {kind: ms / best.wall_ms * spark_s for kind, ms in parts.items()},
                "spark_s": spark_s,
                "broadhead_s": row["engines"]["broadhead"]["best_s"],
            }
        )
    return queries


def _left_out(queries: list[Measured], query: Measured) -> Measured:
    """Estimate one query by the ratios that the others give, on all machines."""
    others = [q for q in queries if (q["suite"], q["query"]) != (query["suite"], query["query"])]
    estimated = estimated_s(query, _fit(others))
    return {
        "suite": query["suite"],
        "query": query["query"],
        "results": query["results"],
        "measured": round(query["spark_s"] / query["broadhead_s"], 3),
        "estimated": round(query["spark_s"] / estimated, 3),
    }


def estimated_s(query: Measured, ratios: np.ndarray) -> float:
    """Give its seconds in Broadhead; a query of which nothing would run keeps its time."""
    if not _runs(query):
        return float(query["spark_s"])
    return float(_row(query) @ ratios + query["parts"].get("spark", 0.0))


def _runs(query: Measured) -> bool:
    return any(query["parts"].get(kind) for kind in KINDS)


def _document(queries: list[Measured], outcomes: list[Measured]) -> Measured:
    """Give the content of calibration.json."""
    quotients = sorted(outcome["estimated"] / outcome["measured"] for outcome in outcomes)
    cut = len(quotients) // _TENTH
    suites = dict.fromkeys(outcome["suite"] for outcome in outcomes)
    return {
        "ratios": {"spark": 1.0, **_ratios(_fit(queries))},
        # The real time is the estimated one times the quotient of the two speed-ups.
        "range": [round(quotients[cut], 3), round(quotients[-1 - cut], 3)],
        **_errors(outcomes),
        "suites": {
            suite: _errors(outcome for outcome in outcomes if outcome["suite"] == suite)
            | _error_by_others(queries, suite)
            for suite in suites
        },
    }


def _errors(outcomes: Iterable[Measured]) -> Measured:
    errors = [abs(outcome["estimated"] / outcome["measured"] - 1) for outcome in outcomes]
    return {
        "outcomes": len(errors),
        "median_error": round(statistics.median(errors), 3),
        "largest_error": round(max(errors), 3),
    }


def _error_by_others(queries: list[Measured], suite: str) -> Measured:
    """Give the median error of a suite's queries by the ratios that the other suites give."""
    others = [query for query in queries if query["suite"] != suite]
    if not others:
        return {}
    ratios = _fit(others)
    errors = [
        abs(query["broadhead_s"] / estimated_s(query, ratios) - 1)
        for query in queries
        if query["suite"] == suite
    ]
    return {"median_error_by_other_suites": round(statistics.median(errors), 3)}


def _row(query: Measured) -> np.ndarray:
    return np.array([1.0, *(query["parts"].get(kind, 0.0) for kind in _PARTS)])


def _fit(queries: list[Measured]) -> np.ndarray:
    """Give the start time and ratios, none below 0, with the least relative error.

    A penalty keeps the ratios near the one of all queries together: the few queries that have a
    kind of operator do not decide about it alone.
    """
    queries = [query for query in queries if _runs(query)]
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
