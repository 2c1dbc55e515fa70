"""The progress of the queries in a cell, as a bar that is removed when they end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from IPython.display import display

from broadhead.html_output.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from IPython.display import DisplayHandle
    from pyspark import SparkContext

_QUIET_SECONDS = 1.0
"""Queries that end within this time show no bar."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of the queries that run now, and the number of their stages that run."""

    completed: int
    total: int
    running: int
    stages: int


def tasks_of(context: SparkContext) -> Tasks | None:
    """Give the tasks of all running jobs of an application; None if there is none."""
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getActiveJobsIds()]
    numbers = {stage for job in jobs if job for stage in job.stageIds}
    stages = [stage for stage in map(tracker.getStageInfo, sorted(numbers)) if stage]
    if not stages:
        return None
    return Tasks(
        sum(stage.numCompletedTasks for stage in stages),
        sum(stage.numTasks for stage in stages),
        sum(stage.numActiveTasks for stage in stages),
        sum(stage.numActiveTasks > 0 for stage in stages),
    )


class RemoteTasks:
    """The tasks of the queries of a Spark Connect session: a progress handler."""

    def __init__(self) -> None:
        self.queries: set[str | None] = set()
        self._running: dict[str | None, tuple[list[Any], int]] = {}

    def __call__(
        self,
        stages: Iterable[Any] | None,
        inflight_tasks: int,
        operation_id: str | None,
        done: bool,  # noqa: FBT001 - the interface is PySpark's
    ) -> None:
        """Take a message of the client."""
        self.queries.add(operation_id)
        if done:
            self._running.pop(operation_id, None)
        else:
            self._running[operation_id] = (list(stages or ()), inflight_tasks)

    @property
    def tasks(self) -> Tasks | None:
        """The tasks of all running queries; None if there is none."""
        running = list(self._running.values())
        stages = [stage for found, _ in running for stage in found]
        if not stages:
            return None
        return Tasks(
            sum(stage.num_completed_tasks for stage in stages),
            sum(stage.num_tasks for stage in stages),
            sum(inflight for _, inflight in running),
            sum(not stage.done for stage in stages),
        )


class ProgressBar:
    """A bar under a cell, which consoles do not get: each of its updates would be a new line."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._handle: DisplayHandle | None = None

    def show(self, tasks: Tasks | None) -> None:
        """Show the tasks that run now."""
        elapsed = time.monotonic() - self._started
        if elapsed < _QUIET_SECONDS or (tasks is None and self._handle is None):
            return
        line = f"{elapsed:.0f} s" if tasks is None else _line(tasks, elapsed)
        part = tasks.completed / tasks.total if tasks and tasks.total else 0
        data = {"text/html": render("progress", part=part, line=line), "text/plain": line}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def remove(self) -> None:
        """Leave nothing of the bar."""
        if self._handle is not None:
            self._handle.update({"text/html": "", "text/plain": ""}, raw=True)


def _line(tasks: Tasks, elapsed: float) -> str:
    stages = f"{tasks.stages} {'stage' if tasks.stages == 1 else 'stages'}"
    return (
        f"{tasks.completed:,} of {tasks.total:,} tasks, {tasks.running:,} running in {stages}, "
        f"{elapsed:.0f} s"
    )
