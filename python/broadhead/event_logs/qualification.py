"""What Broadhead would run of the queries of a plain Spark log, and how much faster."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from broadhead.event_logs.coverage import is_accelerated, is_operator
from broadhead.event_logs.estimate import Estimate, estimate, times_by_kind
from broadhead.event_logs.operator_times import OperatorTimes
from broadhead.event_logs.storage import EventLogError
from broadhead.event_logs.support import calls_python, operator_of, reasons_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.event_logs.application import ApplicationReader
    from broadhead.event_logs.queries import PlanNode, Query

_ROWS_OF_SPARK = "estimated slower than Spark: its rows come from Spark, not from files"
_NOT_REDUCED = "estimated slower than Spark: rows would return without being reduced"
_LIGHT = frozenset({"Scan", "Filter", "Project"})


# Properties that only these platforms set, and the masters of the others.
_MARKS = {
    "databricks": ("spark.databricks.",),
    "emr": ("spark.emr.", "spark.yarn.heterogeneousExecutors."),
    "dataproc": ("spark.dataproc.",),
}
_MASTERS = {"yarn": "yarn", "k8s": "kubernetes", "spark": "standalone"}


@dataclass(frozen=True)
class QualifiedOperator:
    """One operator: whether Broadhead would run it, why not, and its time in Spark."""

    name: str
    runs: bool
    reasons: list[str]
    ms: float


@dataclass
class QualifiedQuery:
    """One query: its time in Spark, its operators, and the estimate for Broadhead."""

    number: int
    label: str
    wall_ms: int
    task_ms: int
    nested: bool
    operators: list[QualifiedOperator]
    estimate: Estimate
    error: str = ""

    @property
    def running(self) -> int:
        """How many operators Broadhead would run."""
        return sum(operator.runs for operator in self.operators)


@dataclass
class Qualification:
    """One application."""

    path: str
    identifier: str
    name: str
    spark_version: str
    notes: list[str]
    platform: str
    queries: list[QualifiedQuery] = field(default_factory=list)

    @property
    def wall_ms(self) -> int:
        """Time of all queries that no other query has started."""
        return sum(query.wall_ms for query in self.queries if not query.nested)

    @property
    def estimate(self) -> Estimate:
        """The estimate for all of them together."""
        own = [query for query in self.queries if not query.nested]
        return Estimate(
            *(
                sum(getattr(query.estimate, bound) for query in own)
                for bound in ("ms", "low_ms", "high_ms")
            )
        )

    @property
    def longest(self) -> float:
        """Time of the longest query, in Spark or in Broadhead."""
        return max((max(q.wall_ms, q.estimate.ms, 1.0) for q in self.queries), default=1.0)

    @property
    def operators(self) -> int:
        """Operators of all queries."""
        return sum(len(query.operators) for query in self.queries)

    def reasons(self) -> list[dict[str, Any]]:
        """Give why operators would stay with Spark, by the time of these operators."""
        found: dict[str, dict[str, Any]] = {}
        for query in self.queries:
            for operator in query.operators:
                for reason in operator.reasons:
                    entry = found.setdefault(reason, {"reason": reason, "ms": 0.0, "queries": []})
                    entry["ms"] += operator.ms / len(operator.reasons)
                    if query.number not in entry["queries"]:
                        entry["queries"].append(query.number)
        return sorted(found.values(), key=lambda entry: -entry["ms"])

    def as_json(self) -> dict[str, Any]:
        """Give everything, for JSON."""
        own = {key: value for key, value in vars(self).items() if key != "queries"}
        queries = [
            asdict(query) | {"speedup": query.estimate.speedup(query.wall_ms)}
            for query in self.queries
        ]
        return own | {
            "wall_ms": self.wall_ms,
            "estimate": asdict(self.estimate),
            "speedup": self.estimate.speedup(self.wall_ms),
            "reasons": self.reasons(),
            "queries": queries,
        }


def qualify(reader: ApplicationReader) -> Qualification:
    """Read a log of plain Spark to its end and judge its queries."""
    queries = [qualify_query(query) for query in reader.queries() if query.stages]
    application = reader.application
    return Qualification(
        path=application.path,
        identifier=application.identifier,
        name=application.name,
        spark_version=application.spark_version,
        notes=application.notes,
        platform=platform_of(application.properties),
        queries=sorted(queries, key=lambda query: query.number),
    )


def platform_of(properties: Mapping[str, str]) -> str:
    """Give the platform of `broadhead conf --for` that an application's properties name."""
    master = properties.get("spark.master", "")
    for platform, marks in _MARKS.items():
        if any(key.startswith(marks) for key in properties):
            return platform
    return _MASTERS.get(master.partition(":")[0], "")


def qualify_query(query: Query) -> QualifiedQuery:
    """Judge the operators of one query, and estimate its time."""
    if any(is_accelerated(node.name) for node in query.plan.walk()):
        message = f"query {query.number} ran with Broadhead: use broadhead report for its log"
        raise EventLogError(message)
    times = OperatorTimes(query)
    spent: dict[int, float] = {}
    for time in times.times:
        spent[id(time.node)] = spent.get(id(time.node), 0.0) + time.ms
    judged = judge(query.plan)
    operators = [
        QualifiedOperator(node.name, not reasons, reasons, spent.get(id(node), 0.0))
        for node, reasons in judged
    ]
    running = {id(node) for node, reasons in judged if not reasons}
    return QualifiedQuery(
        number=query.number,
        label=query.sql or query.description or f"query {query.number}",
        wall_ms=query.wall_ms,
        task_ms=query.task_ms,
        nested=query.root is not None and query.root != query.number,
        operators=operators,
        estimate=estimate(query.wall_ms, times_by_kind(query, times, running)),
        error=next(iter(query.error.splitlines()), ""),
    )


def judge(plan: PlanNode) -> list[tuple[PlanNode, list[str]]]:
    """Give each operator of a plan with the reasons why it would stay with Spark."""
    reasons: dict[int, list[str]] = {}
    _judge_upwards(plan, reasons)
    _drop_light(plan, reasons, parent_runs=True)
    return [(node, reasons[id(node)]) for node in plan.walk() if is_operator(node.name)]


def _judge_upwards(node: PlanNode, reasons: dict[int, list[str]]) -> bool:
    """Judge a node after those below it; give whether its rows come from Broadhead."""
    below = [_judge_upwards(child, reasons) for child in node.children]
    if not is_operator(node.name):
        return any(below) or _is_reused(node)
    found = reasons_of(node)
    reads = operator_of(node.name) == "Scan" or calls_python(node)
    if not found and not reads and not any(below):
        found = [_ROWS_OF_SPARK]
    reasons[id(node)] = found
    return not found


def _is_reused(node: PlanNode) -> bool:
    """Say whether a node repeats another part of the plan, which is judged there."""
    return node.name.startswith("Reused")


def _drop_light(node: PlanNode, reasons: dict[int, list[str]], *, parent_runs: bool) -> None:
    """Leave scans to Spark whose rows would only be passed on to one of its operators."""
    if is_operator(node.name):
        if not reasons[id(node)] and not parent_runs and _only_light(node):
            for below in node.walk():
                if id(below) in reasons and not reasons[id(below)]:
                    reasons[id(below)] = [_NOT_REDUCED]
        parent_runs = not reasons[id(node)]
    for child in node.children:
        _drop_light(child, reasons, parent_runs=parent_runs)


def _only_light(node: PlanNode) -> bool:
    return all(
        operator_of(below.name) in _LIGHT for below in node.walk() if is_operator(below.name)
    )
