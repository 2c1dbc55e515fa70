"""Where the time of one query went: tasks as Spark counts them, fragments as Broadhead does."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

_PREFIX = "Broadhead"
_UNITS = {"timing": 1e-3, "nsTiming": 1e-9}

# Which part of a fragment's time each of Broadhead's metrics is.
_PARTS = {
    "startTime": "bridge_s",
    "waitTime": "bridge_s",
    "slotTime": "slot_s",
    "readTime": "read_s",
    "encodeTime": "encode_s",
}


_MOST_TASKS = 100_000


def covered(intervals: Iterable[tuple[int, int]]) -> int:
    """Length of what intervals of first and last numbers cover together."""
    total, last = 0, -1
    for start, end in sorted(intervals):
        if end > last:
            total += end - max(start, last)
            last = end
    return total


class Profile:
    """Profile of the query that runs between making this object and calling `of`."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark.sparkContext
        self._context = self._spark._jsc.sc()
        self._convert = spark._jvm.scala.jdk.javaapi.CollectionConverters
        self._group = f"profile-{uuid4()}"
        self._spark.setJobGroup(self._group, "a profiled query")

    def of(self, frame: DataFrame) -> dict[str, Any]:
        """Seconds of all tasks, those of the fragments by part, and the fragments' own metrics."""
        self._spark.setLocalProperty("spark.jobGroup.id", None)
        self._context.listenerBus().waitUntilEmpty()
        tasks = {"planning_s": self._planning(frame), **self._tasks()}
        nodes = dict(self._broadhead_nodes(frame._jdf.queryExecution().executedPlan()))
        parts: dict[str, float] = defaultdict(float)
        for node, metrics in nodes.items():
            for name, value in metrics.items():
                if name in _PARTS:
                    parts[_PARTS[name]] += value
            # A scan's own time contains that of reading.
            if "time" in metrics:
                shuffles = node.endswith(("ShuffleExchange", "ShuffleRead"))
                part = "shuffle_s" if shuffles else "compute_s"
                parts[part] += metrics["time"] - metrics.get("readTime", 0.0)
        return {**tasks, **{name: round(value, 4) for name, value in parts.items()}, "nodes": nodes}

    def _planning(self, frame: DataFrame) -> float:
        """Seconds from the text to the first plan; adaptive execution plans more later."""
        phases = self._convert.asJava(frame._jdf.queryExecution().tracker().phases())
        return float(sum(phase.durationMs() for phase in phases.values())) / 1e3

    def _stages(self) -> set[int]:
        """The stages of the jobs that the query started."""
        tracker = self._spark.statusTracker()
        jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup(self._group))
        return {stage for job in jobs if job is not None for stage in job.stageIds}

    def _tasks(self) -> dict[str, float]:
        """Sums over the tasks of the jobs that this query started."""
        totals = {"stages": 0, "tasks": 0, "task_s": 0.0, "task_cpu_s": 0.0, "task_gc_s": 0.0}
        store = self._context.statusStore()
        running: list[tuple[int, int]] = []
        for stage in sorted(self._stages()):
            data = store.lastStageAttempt(stage)
            if not data.numCompleteTasks():
                continue
            totals["stages"] += 1
            totals["tasks"] += data.numCompleteTasks()
            totals["task_s"] += data.executorRunTime() / 1e3
            totals["task_cpu_s"] += data.executorCpuTime() / 1e9
            totals["task_gc_s"] += data.jvmGcTime() / 1e3
            running += self._running(stage, data.attemptId())
        totals["busy_s"] = covered(running) / 1e3
        return {name: round(value, 4) for name, value in totals.items()}

    def _running(self, stage: int, attempt: int) -> Iterator[tuple[int, int]]:
        """First and last millisecond of each task of a stage."""
        tasks = self._context.statusStore().taskList(stage, attempt, _MOST_TASKS)
        for task in self._convert.asJava(tasks):
            start = task.launchTime().getTime()
            duration = task.duration()
            yield start, start + (duration.get() if duration.isDefined() else 0)

    def _broadhead_nodes(self, plan: Any) -> Iterator[tuple[str, dict[str, float]]]:
        """Name and metrics of every node of ours; the number keeps nodes of one name apart."""
        count = 0
        for node in self._walk(plan):
            name = node.nodeName()
            if name.startswith(_PREFIX):
                yield f"{count} {name}", self._metrics(node)
                count += 1

    def _walk(self, node: Any) -> Iterator[Any]:
        yield node
        kind = node.getClass().getSimpleName()
        if kind == "AdaptiveSparkPlanExec":
            yield from self._walk(node.executedPlan())
        elif kind.endswith("QueryStageExec"):
            yield from self._walk(node.plan())
        elif kind != "ReusedExchangeExec":
            for child in self._convert.asJava(node.children()):
                yield from self._walk(child)
            for query in self._convert.asJava(node.subqueries()):
                yield from self._walk(query)

    def _metrics(self, node: Any) -> dict[str, float]:
        metrics = {}
        for name, metric in self._convert.asJava(node.metrics()).items():
            value = metric.value()
            if value > 0:
                unit = _UNITS.get(metric.metricType())
                metrics[name] = round(value * unit, 6) if unit else value
        return metrics
