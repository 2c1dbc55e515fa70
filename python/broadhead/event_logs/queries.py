"""What a log says of one query: its plans, its stages and the values of its metrics."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of an operator: its name, its accumulator and its kind, such as `nsTiming`."""

    name: str
    accumulator: int
    kind: str


@dataclass(frozen=True, slots=True)
class PlanNode:
    """A node of Spark's `sparkPlanInfo`."""

    name: str
    text: str
    metrics: tuple[Metric, ...]
    children: tuple[PlanNode, ...]

    def walk(self) -> Iterator[PlanNode]:
        """Give this node and all below it, from the root on."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


@dataclass
class Stage:
    """The tasks of one stage."""

    number: int
    name: str = ""
    run_ms: array[int] = field(default_factory=lambda: array("q"))
    memory_spilled: int = 0
    disk_spilled: int = 0
    failed: int = 0
    values: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def total_ms(self) -> int:
        """Time of all tasks."""
        return sum(self.run_ms)


@dataclass
class Query:
    """One execution of SQL or of a DataFrame."""

    number: int
    description: str
    details: str
    started: int
    plan: PlanNode
    text: str
    root: int | None = None
    ended: int | None = None
    error: str = ""
    sql: str = ""
    stages: dict[int, Stage] = field(default_factory=dict)
    driver_values: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    accelerated_plan: Mapping[str, Any] | None = None
    last_event: int = 0
    spans: array[int] = field(default_factory=lambda: array("q"))

    @property
    def busy_ms(self) -> int:
        """Time in which any of its tasks ran; `spans` has start and end of each task in turn."""
        busy = end = 0
        for launched, finished in sorted(zip(self.spans[::2], self.spans[1::2], strict=True)):
            busy += max(0, finished - max(launched, end))
            end = max(end, finished)
        return busy

    @property
    def wall_ms(self) -> int:
        """Time from its start to its end, or to the last event of an unfinished one."""
        return max(0, (self.ended or self.last_event or self.started) - self.started)

    @property
    def task_ms(self) -> int:
        """Time of all tasks."""
        return sum(stage.total_ms for stage in self.stages.values())


def plan_node(info: Mapping[str, Any]) -> PlanNode:
    """Give the tree of a `sparkPlanInfo`."""
    return PlanNode(
        name=info["nodeName"].strip(),
        text=info.get("simpleString", ""),
        metrics=tuple(
            Metric(m["name"], m["accumulatorId"], m.get("metricType", ""))
            for m in info.get("metrics", ())
        ),
        children=tuple(plan_node(child) for child in info.get("children", ())),
    )
