"""Compares what Python functions give in fragments with what they give in plain Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from broadhead.explanation import explain
from sql_sessions import UNACCELERATED, compare_with_kept, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MANY_BATCHES = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    "spark.broadhead.batchRows": "5",
}
"""Settings with which a function gets several batches of a few rows, also of a group."""

NOT_ACCELERATED = UNACCELERATED | {"EmptyRelation"}
"""Operators that Spark runs: exchanges, and what it makes of a plan without rows."""

Make = Callable[["SparkSession"], "DataFrame"]


class Comparison:
    """Runs a query with and without Broadhead in one session."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def same(self, make: Make, *, fallback: str | None = None, replays: int = 0) -> None:
        """The rows are Spark's, and each operator is accelerated.

        With `fallback` at least one is not, and has this reason.
        """
        frame = compare_with_kept(self.session, lambda: make(self.session))
        explanation = explain(frame)
        left = [n for n in explanation.nodes if not n.accelerated and n.name not in NOT_ACCELERATED]
        if fallback is not None:
            reasons = [reason for node in left for reason in node.reasons]
            assert any(fallback in reason for reason in reasons), explanation
            return
        assert not left, explanation
        assert replayed(frame) == replays, explanation
