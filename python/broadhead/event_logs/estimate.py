"""The estimated time of a query in Broadhead, from the times of its parts in Spark.

Each part of a query's time is multiplied by a measured ratio. The ratios come from
`benchmarks/event_log_calibration.py`, which fits them to queries that ran on both.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadhead.event_logs.support import operator_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.event_logs.operator_times import OperatorTimes
    from broadhead.event_logs.queries import Query

CALIBRATION = Path(__file__).with_name("calibration.json")

IDLE = "idle"
SPARK = "spark"
START = "start"

_KINDS = {
    "Scan": "scan",
    "Filter": "scan",
    "Project": "scan",
    "HashAggregate": "aggregate",
    "SortAggregate": "aggregate",
    "ObjectHashAggregate": "aggregate",
    "SortMergeJoin": "join",
    "ShuffledHashJoin": "join",
    "BroadcastHashJoin": "join",
    "BroadcastNestedLoopJoin": "join",
    "CartesianProduct": "join",
    "Exchange": "exchange",
    "BroadcastExchange": "exchange",
}
_OTHER = "other"
KINDS = (*dict.fromkeys(_KINDS.values()), _OTHER)


@dataclass(frozen=True)
class Estimate:
    """The time in Broadhead, and its range: 8 of 10 queries of the calibration were in it."""

    ms: float
    low_ms: float
    high_ms: float

    def speedup(self, wall_ms: float) -> dict[str, float]:
        """Give how many times faster it is than Spark, with the range."""
        return {
            "expected": wall_ms / self.ms if self.ms else 1.0,
            "low": wall_ms / self.high_ms if self.high_ms else 1.0,
            "high": wall_ms / self.low_ms if self.low_ms else 1.0,
        }


def times_by_kind(query: Query, times: OperatorTimes, running: set[int]) -> dict[str, float]:
    """Divide a query's time from start to end into the parts that have a ratio.

    The time in which tasks ran is divided in proportion to the tasks' times; the rest is planning
    and waiting. `running` has the ids of the nodes that Broadhead would run.
    """
    parts: defaultdict[str, float] = defaultdict(float)
    for time in times.times:
        runs = id(time.node) in running
        parts[_KINDS.get(operator_of(time.node.name), _OTHER) if runs else SPARK] += time.ms
    parts[SPARK] += times.unassigned_ms
    total = sum(parts.values())
    busy = min(query.busy_ms, query.wall_ms)
    scaled = {kind: ms * busy / total for kind, ms in parts.items()} if total else {}
    scaled[IDLE] = query.wall_ms - busy
    return scaled


def estimate(wall_ms: float, parts: Mapping[str, float]) -> Estimate:
    """Give the time of a query in Broadhead; one of which nothing runs there keeps its time."""
    if not any(parts.get(kind) for kind in KINDS):
        return Estimate(wall_ms, wall_ms, wall_ms)
    content = calibration()
    ratios = content["ratios"]
    ms = ratios[START] + sum(ms * ratios.get(kind, 1.0) for kind, ms in parts.items())
    low, high = content["range"]
    return Estimate(ms, ms * low, ms * high)


@cache
def calibration() -> dict[str, Any]:
    """Give the content of calibration.json: ratios by kind, and the range of their error."""
    content: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return content
