"""Timed runs of queries on plain Spark and on Broadhead, in one session."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from broadhead.demo.compare import Row, difference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from broadhead.demo.queries import Query

ENABLED = "spark.broadhead.enabled"


@dataclass
class Outcome:
    """The measurements of one query on both engines."""

    query: Query
    spark_times: list[float] = field(default_factory=list)
    broadhead_times: list[float] = field(default_factory=list)
    difference: str | None = None
    accelerated: int = 0
    total: int = 0
    reasons: list[str] = field(default_factory=list)

    @property
    def spark_s(self) -> float:
        """Best time of plain Spark, in seconds."""
        return min(self.spark_times, default=0.0)

    @property
    def broadhead_s(self) -> float:
        """Best time of Broadhead, in seconds."""
        return min(self.broadhead_times, default=0.0)

    @property
    def ratio(self) -> float:
        """How many times faster Broadhead is than plain Spark; 0 if it was not measured."""
        return self.spark_s / self.broadhead_s if self.broadhead_s else 0.0

    @property
    def equal(self) -> bool:
        """Whether both engines gave the same rows."""
        return self.difference is None

    def as_json(self) -> dict[str, Any]:
        """The outcome in the form of the JSON file."""
        return {
            "query": self.query.number,
            "spark_s": round(self.spark_s, 4),
            "broadhead_s": round(self.broadhead_s, 4),
            "ratio": round(self.ratio, 3),
            "equal": self.equal,
            "accelerated": self.accelerated,
            "total": self.total,
            "reasons": self.reasons,
        }


def total_ratio(outcomes: Sequence[Outcome]) -> float:
    """How many times faster Broadhead is over all queries that both engines ran."""
    measured = [outcome for outcome in outcomes if outcome.broadhead_s and outcome.spark_s]
    if not measured:
        return 0.0
    return sum(o.spark_s for o in measured) / sum(o.broadhead_s for o in measured)


class Measurement:
    """Rounds over queries: one to warm up and compare, then timed ones that alternate the engines.

    `explain` gives an object with `accelerated`, `total` and `reasons` for an executed DataFrame.
    """

    def __init__(
        self,
        spark: SparkSession,
        queries: Sequence[Query],
        explain: Callable[[DataFrame], Any],
        step: Callable[[str], None],
    ) -> None:
        self._spark = spark
        self._explain = explain
        self._step = step
        self.outcomes = [Outcome(query) for query in queries]

    def warm_up(self) -> None:
        """Run every query once on each engine, compare the rows and collect the plans' coverage."""
        for outcome in self.outcomes:
            self._step(f"{outcome.query.label} compare")
            columns, expected, _ = self._run(outcome.query, accelerated=False)
            try:
                _, actual, frame = self._run(outcome.query, accelerated=True)
            except Exception as error:
                outcome.difference = f"failed: {str(error).strip().splitlines()[0]}"
                outcome.reasons = [outcome.difference]
                continue
            outcome.difference = difference(outcome.query, columns, expected, actual)
            report = self._explain(frame)
            outcome.accelerated, outcome.total = report.accelerated, report.total
            outcome.reasons = [str(reason) for reason in report.reasons]

    def measure(self, rounds: int, deadline: float) -> int:
        """Timed rounds, at most `rounds`, as many as end before `deadline` (of time.monotonic).

        The first always runs. Gives how many were run.
        """
        for done in range(rounds):
            started = time.monotonic()
            self._round(spark_first=done % 2 == 0)
            ended = time.monotonic()
            if ended + (ended - started) > deadline:
                return done + 1
        return rounds

    def _round(self, *, spark_first: bool) -> None:
        for outcome in self.outcomes:
            self._step(f"{outcome.query.label} measure")
            if outcome.difference is not None and outcome.difference.startswith("failed"):
                continue
            for accelerated in (not spark_first, spark_first):
                started = time.perf_counter()
                self._run(outcome.query, accelerated=accelerated)
                seconds = time.perf_counter() - started
                times = outcome.broadhead_times if accelerated else outcome.spark_times
                times.append(seconds)

    def _run(self, query: Query, *, accelerated: bool) -> tuple[list[str], list[Row], DataFrame]:
        self._spark.conf.set(ENABLED, str(accelerated).lower())
        frame = self._spark.sql(query.sql)
        return frame.columns, [tuple(row) for row in frame.collect()], frame
