"""Reads the log of one application: its queries, one after the other as they end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from broadhead.event_logs.events import EventReader
from broadhead.event_logs.queries import Query, Stage, plan_node
from broadhead.event_logs.storage import EventLogError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.event_logs.events import Event, Line
    from broadhead.event_logs.logs import EventLog

_SQL = "org.apache.spark.sql.execution.ui."
_OURS = "org.apache.spark.sql.broadhead.application."
_NEW_PLAN = _SQL + "SparkListenerSQLAdaptiveExecutionUpdate"
_EXECUTION = "spark.sql.execution.id"
_NUMBER = re.compile(rb'"executionId":(\d+)')
_MOST_WAITING = 100
"""Broadhead writes the plan of a query in a thread of its own, so it may stand before the query's
start or after its end: so many plans, and so many ended queries, wait for their counterparts."""


@dataclass
class Application:
    """What a log says of the whole application."""

    path: str
    identifier: str = ""
    name: str = ""
    spark_version: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    memory: dict[tuple[int, int], int] = field(default_factory=dict)
    """Number of executors by the bytes that their workers may have, and for how many tasks."""
    other_task_ms: int = 0
    notes: list[str] = field(default_factory=list)


class ApplicationReader:
    """Reads a log once; only the queries that run are in memory."""

    def __init__(self, log: EventLog, progress: Callable[[int], None] = lambda _: None) -> None:
        self.application = Application(log.path)
        self._running: dict[int, Query] = {}
        self._plans: dict[int, Line] = {}
        self._early: dict[int, Event] = {}
        self._ended: dict[int, Query] = {}
        self._of_stage: dict[int, Query] = {}
        self._handlers: dict[str, Callable[[Event], Query | None]] = {
            "SparkListenerApplicationStart": self._application_start,
            "SparkListenerEnvironmentUpdate": self._environment,
            "SparkListenerJobStart": self._job_start,
            "SparkListenerTaskEnd": self._task_end,
            _SQL + "SparkListenerSQLExecutionStart": self._query_start,
            _NEW_PLAN: self._new_plan,
            _SQL + "SparkListenerDriverAccumUpdates": self._driver_values,
            _SQL + "SparkListenerSQLExecutionEnd": self._query_end,
            _OURS + "BroadheadStateEvent": self._state,
            _OURS + "BroadheadExecutorEvent": self._executor,
            _OURS + "BroadheadPlanEvent": self._accelerated_plan,
        }
        self._reader = EventReader(log, self._handlers, progress)
        self._time = 0

    def queries(self) -> Iterator[Query]:
        """Give each query soon after its end, and those without one at the end of the log."""
        for name, line in self._reader.events():
            if name == _NEW_PLAN:
                self._remember_plan(line)
                continue
            ended = self._handle(name, line)
            if ended is not None:
                self._ended[ended.number] = ended
                if len(self._ended) > _MOST_WAITING:
                    yield self._ended.pop(next(iter(self._ended)))
        yield from self._ended.values()
        self.application.spark_version = self._reader.spark_version
        self.application.notes += self._reader.notes
        if not self._reader.spark_version:
            raise EventLogError(f"{self.application.path} is empty: it has no event of Spark")
        for query in self._running.values():
            query.last_event = max(self._time, query.last_event)
            self._use_last_plan(query)
            yield query

    def _handle(self, name: str, line: Line) -> Query | None:
        try:
            return self._handlers[name](line.event())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            kind = name.rpartition(".")[2]
            message = f"{line.at} is an event {kind} without what Spark writes: {error}"
            raise EventLogError(message) from error

    def _remember_plan(self, line: Line) -> None:
        """Keep the last plan of each query; adaptive execution writes one for each stage."""
        match = _NUMBER.search(line.content)
        if match is not None:
            self._plans[int(match[1])] = line

    def _use_last_plan(self, query: Query) -> None:
        line = self._plans.pop(query.number, None)
        if line is not None:
            self._handle(_NEW_PLAN, line)

    def _application_start(self, event: Event) -> None:
        self.application.name = event["App Name"]
        self.application.identifier = event.get("App ID") or ""

    def _environment(self, event: Event) -> None:
        self.application.properties.update(event["Spark Properties"])

    def _state(self, event: Event) -> None:
        self.application.state = event

    def _executor(self, event: Event) -> None:
        """Count an executor with its memory, which logs of earlier versions do not have."""
        if event.get("memory"):
            found = event["memory"], event["tasks"]
            self.application.memory[found] = self.application.memory.get(found, 0) + 1

    def _query_start(self, event: Event) -> None:
        number = event["executionId"]
        self._running[number] = Query(
            number=number,
            description=event["description"] or "",
            details=event["details"] or "",
            started=event["time"],
            plan=plan_node(event["sparkPlanInfo"]),
            text=event["physicalPlanDescription"],
            root=event.get("rootExecutionId"),
            last_event=event["time"],
            accelerated_plan=self._early.pop(number, None),
        )

    def _new_plan(self, event: Event) -> None:
        query = self._running.get(event["executionId"])
        if query is not None:
            query.plan = plan_node(event["sparkPlanInfo"])
            query.text = event["physicalPlanDescription"]

    def _accelerated_plan(self, event: Event) -> None:
        number = event["executionId"]
        query = self._running.get(number) or self._ended.get(number)
        if query is not None:
            query.accelerated_plan = event
            return
        self._early[number] = event
        if len(self._early) > _MOST_WAITING:
            del self._early[next(iter(self._early))]

    def _driver_values(self, event: Event) -> None:
        query = self._running.get(event["executionId"])
        if query is not None:
            for accumulator, value in event["accumUpdates"]:
                query.driver_values[accumulator] += value

    def _query_end(self, event: Event) -> Query | None:
        query = self._running.get(event["executionId"])
        if query is None:
            return None
        self._use_last_plan(query)
        del self._running[query.number]
        query.ended = event["time"]
        query.error = event.get("errorMessage") or ""
        for stage in query.stages:
            self._of_stage.pop(stage, None)
        return query

    def _job_start(self, event: Event) -> None:
        properties = event.get("Properties") or {}
        number = properties.get(_EXECUTION)
        query = self._running.get(int(number)) if number is not None else None
        if query is None:
            return
        query.sql = query.sql or properties.get("spark.job.description") or ""
        for info in event["Stage Infos"]:
            stage = info["Stage ID"]
            # A stage of an earlier job is in the later jobs that skip it, too.
            if stage not in self._of_stage:
                self._of_stage[stage] = query
                query.stages[stage] = Stage(stage, info["Stage Name"])

    def _task_end(self, event: Event) -> None:
        info, metrics = event["Task Info"], event.get("Task Metrics") or {}
        self._time = max(self._time, info["Finish Time"])
        run_ms = metrics.get("Executor Run Time", 0)
        query = self._of_stage.get(event["Stage ID"])
        if query is None:
            self.application.other_task_ms += run_ms
            return
        stage = query.stages[event["Stage ID"]]
        stage.run_ms.append(run_ms)
        query.spans.extend((info["Launch Time"], info["Finish Time"]))
        stage.memory_spilled += metrics.get("Memory Bytes Spilled", 0)
        stage.disk_spilled += metrics.get("Disk Bytes Spilled", 0)
        stage.failed += bool(info["Failed"])
        for accumulable in info.get("Accumulables", ()):
            if accumulable.get("Metadata") == "sql" and "Update" in accumulable:
                stage.values[accumulable["ID"]] += max(0, int(accumulable["Update"]))
