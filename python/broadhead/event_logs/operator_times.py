"""The time of a query's tasks, divided among the operators that ran in them.

Spark measures tasks, and only some operators. Broadhead's operators measure themselves. What
remains of a stage is divided among its Spark operators, by their rows and by the time that the
operators which measure themselves have taken.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from broadhead.event_logs.coverage import is_accelerated, is_operator

if TYPE_CHECKING:
    from collections.abc import Collection

    from broadhead.event_logs.queries import Metric, PlanNode, Query, Stage

ENGINE_TIME = "time in the engine"
SPARK_CODE_TIME = "time of values by Spark"
GPU_WAIT = "time waiting for a GPU"
GPU_TASKS = "number of tasks on a GPU"
REPLAYS = "number of tasks replayed by Spark"
_BRIDGE = ("time to start the fragment", "time to encode results")
_WRITE, _COMMAND = "WriteFiles", "Execute "
_MS = {"timing": 1.0, "nsTiming": 1e-6}

# Metrics of Spark's operators that have the time of this operator alone.
_OWN_TIMES = (
    "scan time",
    "sort time",
    "shuffle write time",
    "fetch wait time",
    "remote reqs duration",
)

# Work for a row that goes into the operator, next to that of a scan.
_ROW_WORK = {
    "Scan": 1.0, "Filter": 0.2, "Project": 0.2, "Exchange": 1.5, "BroadcastExchange": 2.0,
    "HashAggregate": 1.0, "SortAggregate": 1.0, "ObjectHashAggregate": 2.0, "Sort": 2.0,
    "Window": 3.0, "SortMergeJoin": 1.5, "BroadcastHashJoin": 1.0, "ShuffledHashJoin": 1.2,
    "BroadcastNestedLoopJoin": 5.0, "CartesianProduct": 5.0, "Generate": 1.0, "Expand": 0.5,
}  # fmt: skip
_OTHER_WORK = 1.0


class Target(StrEnum):
    """Where an operator ran."""

    GPU = "GPU"
    CPU = "CPU"
    SPARK = "Spark"
    SPARK_CODE = "Spark's code"
    """In a fragment of Broadhead, which asks Spark's code for the values of some expressions."""


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """Time of one operator in the tasks of one stage."""

    node: PlanNode
    target: Target
    ms: float


class OperatorTimes:
    """Divides the time of all stages of a query.

    `evaluated` has the names of operators with expressions that Spark's code evaluates.
    """

    def __init__(self, query: Query, evaluated: Collection[str] = ()) -> None:
        self._query = query
        self._evaluated = evaluated
        self._nodes = list(query.plan.walk())
        self._owners: dict[int, tuple[PlanNode, Metric]] = {
            metric.accumulator: (node, metric) for node in self._nodes for metric in node.metrics
        }
        self._stages: dict[int, set[int]] = defaultdict(set)
        for stage in query.stages.values():
            for accumulator in stage.values:
                if accumulator in self._owners:
                    self._stages[id(self._owners[accumulator][0])].add(stage.number)
        self._assign_silent_nodes()
        self.times: list[OperatorTime] = []
        self.gpu_wait_ms = 0.0
        self.bridge_ms = 0.0
        self.unassigned_ms = 0.0
        for stage in query.stages.values():
            self._divide(stage)

    def value(self, node: PlanNode, name: str) -> int:
        """Give the value of a metric of an operator, over all tasks and the driver."""
        total = 0
        for metric in node.metrics:
            if metric.name == name:
                total += self._query.driver_values.get(metric.accumulator, 0)
                for stage in self._query.stages.values():
                    total += stage.values.get(metric.accumulator, 0)
        return total

    def total(self, name: str) -> int:
        """Give the sum of a metric over all operators."""
        return sum(self.value(node, name) for node in self._nodes)

    def rows(self, node: PlanNode) -> int:
        """Give the rows that an operator returns; one that does not count them passes them on."""
        counted = [m for m in node.metrics if m.name in {"number of output rows", "records read"}]
        if counted:
            return sum(self.value(node, metric.name) for metric in counted[:1])
        return sum(self.rows(child) for child in node.children)

    def _assign_silent_nodes(self) -> None:
        """Put operators that measure nothing into the stages of the nodes below them."""
        for node in reversed(self._nodes):
            if not self._stages[id(node)]:
                for child in node.children:
                    self._stages[id(node)] |= self._stages[id(child)]

    def _divide(self, stage: Stage) -> None:
        here = [n for n in self._nodes if stage.number in self._stages[id(n)]]
        ours = {id(n): self._ms(n, stage, (ENGINE_TIME,)) for n in here if is_accelerated(n.name)}
        bridge = sum(self._ms(n, stage, _BRIDGE) for n in here)
        wait = sum(self._ms(n, stage, (GPU_WAIT,)) for n in here)
        known = sum(ours.values()) + bridge + wait
        # Streams of a task run in parallel, so that their times may exceed the task's.
        shrink = min(1.0, stage.total_ms / known) if known else 1.0
        target = Target.GPU if self._sum(here, stage, GPU_TASKS) else Target.CPU
        by_spark = self._by_spark(here, stage, ours)
        for node in here:
            code = by_spark.get(id(node), 0.0)
            if ours.get(id(node)):
                own = ours[id(node)] - code
                self.times.append(OperatorTime(node, target, own * shrink))
            if code:
                self.times.append(OperatorTime(node, Target.SPARK_CODE, code * shrink))
        self.gpu_wait_ms += wait * shrink
        rest = max(0.0, stage.total_ms - known)
        spark = [n for n in here if not is_accelerated(n.name) and is_operator(n.name)]
        if any(node.name == _WRITE for node in spark):
            # The command above it only commits what it has written.
            spark = [node for node in spark if not node.name.startswith(_COMMAND)]
        if spark:
            self.bridge_ms += bridge * shrink
            self._divide_rest(spark, stage, rest)
        elif ours:
            self.bridge_ms += bridge * shrink + rest
        else:
            self.unassigned_ms += rest

    def _by_spark(
        self, nodes: list[PlanNode], stage: Stage, ours: dict[int, float]
    ) -> dict[int, float]:
        """The part of the operators' own times that was spent in Spark's code.

        A fragment measures it as a whole.
        """
        code = sum(self._ms(node, stage, (SPARK_CODE_TIME,)) for node in nodes)
        callers = [node for node in nodes if node.name in self._evaluated and ours.get(id(node))]
        spent = {id(node): ours[id(node)] for node in callers} or ours
        whole = sum(spent.values())
        return {key: ms * min(1.0, code / whole) for key, ms in spent.items()} if code else {}

    def _divide_rest(self, nodes: list[PlanNode], stage: Stage, rest: float) -> None:
        own = {id(node): self._ms(node, stage, _OWN_TIMES) for node in nodes}
        measured = sum(own.values())
        scale = min(1.0, rest / measured) if measured else 0.0
        left = rest - measured * scale
        work = {id(node): self._work(node) for node in nodes if not own[id(node)]}
        total = sum(work.values())
        for node in nodes:
            ms = own[id(node)] * scale
            if total:
                ms += left * work.get(id(node), 0.0) / total
            else:
                ms += left / len(nodes)
            self.times.append(OperatorTime(node, Target.SPARK, ms))

    def _work(self, node: PlanNode) -> float:
        rows = sum(self.rows(child) for child in node.children) or self.rows(node)
        return (1 + rows) * _ROW_WORK.get(operator_kind(node.name), _OTHER_WORK)

    def _ms(self, node: PlanNode, stage: Stage, names: tuple[str, ...]) -> float:
        return sum(
            stage.values.get(metric.accumulator, 0) * _MS.get(metric.kind, 0.0)
            for metric in node.metrics
            if metric.name in names
        )

    def _sum(self, nodes: list[PlanNode], stage: Stage, name: str) -> int:
        return sum(
            stage.values.get(metric.accumulator, 0)
            for node in nodes
            for metric in node.metrics
            if metric.name == name
        )


def operator_kind(name: str) -> str:
    """Give the kind of an operator, such as Scan for `Scan parquet default.t`."""
    return name.partition(" ")[0]
