"""What `broadhead report` says of an application, as data for JSON and HTML."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from broadhead.event_logs.coverage import coverage, is_accelerated
from broadhead.event_logs.operator_times import REPLAYS, OperatorTimes, Target

if TYPE_CHECKING:
    from broadhead.event_logs.application import Application, ApplicationReader
    from broadhead.event_logs.queries import Query, Stage
    from broadhead.explanation import Explanation

_PYTHON_TIME = "time in Python functions"
_SKEWED_TASKS = 3
_BY_SPARK = "by Spark's code, in the fragment: "
_UNKNOWN_REASON = "the log has no reason: the plugin was off, or older than its events"
NS = 1e-6


@dataclass
class QuerySummary:
    """One query: its times in milliseconds, and its accelerated operators."""

    number: int
    label: str
    started: int
    wall_ms: int
    task_ms: int
    accelerated: int
    total: int
    finished: bool
    nested: bool
    error: str
    targets: dict[str, float] = field(default_factory=dict)
    bridge_ms: float = 0.0
    gpu_wait_ms: float = 0.0
    unassigned_ms: float = 0.0
    replays: int = 0
    failed_tasks: int = 0
    memory_spilled: int = 0
    disk_spilled: int = 0
    skew: float = 1.0
    skew_stage: str = ""
    operators: list[dict[str, Any]] = field(default_factory=list)
    reasons: dict[str, float] = field(default_factory=dict)
    functions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Share of the operators that are accelerated."""
        return self.accelerated / self.total if self.total else 0.0

    @property
    def time_share(self) -> float:
        """Share of the tasks' time that passed in Broadhead."""
        return max(0.0, 1 - self.elsewhere_ms / self.task_ms) if self.task_ms else 0.0

    @property
    def spark_code_ms(self) -> float:
        """The tasks' time in Spark's code for expressions of Broadhead's fragments."""
        return self.targets.get(Target.SPARK_CODE, 0.0)

    @property
    def elsewhere_ms(self) -> float:
        """The tasks' time in Spark's operators and code, and in none that the log knows."""
        return self.targets.get(Target.SPARK, 0.0) + self.spark_code_ms + self.unassigned_ms


@dataclass
class Summary:
    """One application."""

    path: str
    identifier: str
    name: str
    spark_version: str
    plugin: dict[str, Any]
    notes: list[str]
    other_task_ms: int
    queries: list[QuerySummary]

    @property
    def wall_ms(self) -> int:
        """Time of all queries that no other query has started."""
        return sum(query.wall_ms for query in self.queries if not query.nested)

    @property
    def longest(self) -> int:
        """Time of the longest query."""
        return max((query.wall_ms for query in self.queries), default=0)

    @property
    def time_share(self) -> float:
        """Share of the tasks' time of all queries that passed in Broadhead."""
        task_ms = sum(query.task_ms for query in self.queries)
        elsewhere = sum(query.elsewhere_ms for query in self.queries)
        return max(0.0, 1 - elsewhere / task_ms) if task_ms else 0.0

    def targets(self) -> dict[str, float]:
        """Give the tasks' time by where it passed."""
        found: defaultdict[str, float] = defaultdict(float)
        for query in self.queries:
            for target, ms in query.targets.items():
                found[target] += ms
        return dict(found)

    def operators(self) -> list[dict[str, Any]]:
        """Give time and number of each operator on each target, the longest first."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for query in self.queries:
            for operator in query.operators:
                key = operator["name"], operator["target"]
                entry = found.setdefault(
                    key, {"name": key[0], "target": key[1], "ms": 0.0, "count": 0}
                )
                entry["ms"] += operator["ms"]
                entry["count"] += operator["count"]
        return sorted(found.values(), key=lambda entry: -entry["ms"])

    def reasons(self) -> list[dict[str, Any]]:
        """Give the reasons for operators in Spark and for Spark's code, by their times."""
        found: dict[str, dict[str, Any]] = {}
        for query in self.queries:
            for reason, ms in query.reasons.items():
                entry = found.setdefault(reason, {"reason": reason, "ms": 0.0, "queries": []})
                entry["ms"] += ms
                entry["queries"].append(query.number)
        return sorted(found.values(), key=lambda entry: -entry["ms"])

    def functions(self) -> list[dict[str, Any]]:
        """Give the operators of Python functions with their times, the longest first."""
        found = [
            function | {"query": query.number}
            for query in self.queries
            for function in query.functions
            if function["ms"]
        ]
        return sorted(found, key=lambda function: -function["ms"])

    def as_json(self) -> dict[str, Any]:
        """Give everything, for JSON."""
        own = {key: value for key, value in vars(self).items() if key != "queries"}
        queries = [asdict(q) | {"share": q.share, "time_share": q.time_share} for q in self.queries]
        return own | {
            "wall_ms": self.wall_ms,
            "targets": self.targets(),
            "operators": self.operators(),
            "reasons": self.reasons(),
            "queries": queries,
        }


def summarize(reader: ApplicationReader) -> Summary:
    """Read a log to its end and give what it says."""
    queries = [
        summarize_query(query)
        for query in reader.queries()
        if query.stages or query.error or not query.ended
    ]
    application = reader.application
    return Summary(
        path=application.path,
        identifier=application.identifier,
        name=application.name,
        spark_version=application.spark_version,
        plugin=_plugin(application),
        notes=application.notes,
        other_task_ms=application.other_task_ms,
        queries=sorted(queries, key=lambda query: query.number),
    )


def _plugin(application: Application) -> dict[str, Any]:
    """Give the plugin's state; old logs have its version in Spark's properties only."""
    if application.state:
        wanted = ("state", "reason", "device", "deviceName", "version")
        memory = [
            {"memory": memory, "tasks": tasks, "executors": executors}
            for (memory, tasks), executors in sorted(application.memory.items())
        ]
        return {key: application.state.get(key, "") for key in wanted} | {"workers": memory}
    version = application.properties.get("spark.broadhead.version", "")
    return {"state": "on" if version else "none", "version": version}


def summarize_query(query: Query) -> QuerySummary:
    """Give what the log says of one query."""
    explained = coverage(query)
    times = OperatorTimes(query, {node.name for node in explained.nodes if node.by_spark})
    skew, skew_stage = _skew(query)
    summary = QuerySummary(
        number=query.number,
        label=query.sql or query.description or f"query {query.number}",
        started=query.started,
        wall_ms=query.wall_ms,
        task_ms=query.task_ms,
        accelerated=explained.accelerated,
        total=explained.total,
        finished=query.ended is not None,
        nested=query.root is not None and query.root != query.number,
        error=next(iter(query.error.splitlines()), ""),
        bridge_ms=times.bridge_ms,
        gpu_wait_ms=times.gpu_wait_ms,
        unassigned_ms=times.unassigned_ms,
        replays=times.total(REPLAYS),
        failed_tasks=sum(stage.failed for stage in query.stages.values()),
        memory_spilled=sum(stage.memory_spilled for stage in query.stages.values()),
        disk_spilled=times.total("spill size")
        + sum(stage.disk_spilled for stage in query.stages.values()),
        skew=skew,
        skew_stage=skew_stage,
    )
    _add_operators(summary, times)
    _add_reasons(summary, explained)
    _add_functions(summary, query, times, explained)
    return summary


def _add_operators(summary: QuerySummary, times: OperatorTimes) -> None:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    nodes: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for time in times.times:
        key = time.node.name, str(time.target)
        entry = found.setdefault(key, {"name": key[0], "target": key[1], "ms": 0.0})
        entry["ms"] += time.ms
        nodes[key].add(id(time.node))
        summary.targets[key[1]] = summary.targets.get(key[1], 0.0) + time.ms
    for key, entry in found.items():
        entry["count"] = len(nodes[key])
    summary.operators = sorted(found.values(), key=lambda entry: -entry["ms"])


def _add_reasons(summary: QuerySummary, explained: Explanation) -> None:
    """Give the time of Spark's operators and code to the reasons of operators of their name."""
    reasons: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)
    for node in explained.nodes:
        if not node.accelerated:
            reasons[node.name, False] += node.reasons or [_UNKNOWN_REASON]
        elif node.by_spark:
            reasons[node.name, True] += [_BY_SPARK + reason for reason in node.by_spark]
    spent: defaultdict[tuple[str, bool], float] = defaultdict(float)
    for operator in summary.operators:
        is_code = operator["target"] == Target.SPARK_CODE
        if is_code or not is_accelerated(operator["name"]):
            spent[operator["name"], is_code] += operator["ms"]
    for key, told in reasons.items():
        for reason in told:
            ms = spent[key] / len(told)
            summary.reasons[reason] = summary.reasons.get(reason, 0.0) + ms


def _add_functions(
    summary: QuerySummary, query: Query, times: OperatorTimes, explained: Explanation
) -> None:
    for node in query.plan.walk():
        ms = times.value(node, _PYTHON_TIME) * NS
        spark_ms = times.value(node, "time to run Python workers")
        if ms or spark_ms:
            summary.functions.append(
                {"operator": node.name, "text": node.text, "ms": ms or spark_ms}
            )
    told = [text for node in explained.nodes for text in node.functions]
    if told:
        summary.functions.append({"operator": "how they run", "text": "; ".join(told), "ms": 0.0})


def _skew(query: Query) -> tuple[float, str]:
    """Give the largest ratio of a stage's longest task to its median one, and the stage."""
    stages = [stage for stage in query.stages.values() if len(stage.run_ms) >= _SKEWED_TASKS]
    found = [(_stage_skew(stage), f"stage {stage.number}") for stage in stages]
    return max(found, default=(1.0, ""))


def _stage_skew(stage: Stage) -> float:
    return max(stage.run_ms) / max(1.0, statistics.median(stage.run_ms))
