"""The watch over a running cell: finds its session, shows its progress, and tells what ran."""

from __future__ import annotations

import contextvars
import json
import threading
from typing import TYPE_CHECKING, Any, Protocol

from broadhead.notebook.cell_queries import CellQueries
from broadhead.notebook.connect_cell import ConnectWatch
from broadhead.notebook.progress import ProgressBar, Tasks, tasks_of
from broadhead.notebook.sessions import connect_session, spark_context

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark import SparkContext

_WATCH = "org.apache.spark.sql.broadhead.explanation.QueryWatch"
_DESCRIBED = 20
_INTERVAL_SECONDS = 0.25


class SessionWatch(Protocol):
    """The watch over the queries of one session."""

    @property
    def tasks(self) -> Tasks | None:
        """The tasks that run now; None if there is none."""

    def finish(self) -> object:
        """End the watch and give what ran, to be displayed."""


class Message:
    """A sentence instead of the queries of a cell."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class CellWatch:
    """The watch over a cell, from before it runs until `finish`.

    A thread looks for a session that the cell starts, and shows the progress of its queries.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._bar = ProgressBar() if hasattr(shell, "kernel") else None
        self._ended = threading.Event()
        self._watch = self._find()
        # What the thread displays belongs to this cell by its context variables.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._follow,), daemon=True)
        self._thread.start()

    def finish(self) -> object:
        """End the watch and give what ran, to be displayed."""
        self._ended.set()
        self._thread.join()
        if self._bar is not None:
            self._bar.remove()
        if self._watch is None:
            return Message("Broadhead: there is no Spark session")
        return self._watch.finish()

    def _find(self) -> SessionWatch | None:
        connected = connect_session(self._shell.user_ns)
        if connected is not None:
            return ConnectWatch(connected, self._shell.user_ns)
        context = spark_context()
        return None if context is None else _watch_over(context)

    def _follow(self) -> None:
        while not self._ended.wait(_INTERVAL_SECONDS):
            if self._watch is None:
                self._watch = self._find()
            elif self._bar is not None:
                try:
                    tasks = self._watch.tasks
                except Exception:
                    # The cell has stopped the session: `finish` says so.
                    return
                self._bar.show(tasks)


class _LocalWatch:
    """The watch over all sessions of this process's SparkContext."""

    def __init__(self, context: SparkContext, watch: Any) -> None:
        self._context = context
        self._watch = watch

    @property
    def tasks(self) -> Tasks | None:
        return tasks_of(self._context)

    def finish(self) -> object:
        if self._context._jsc is None:
            return Message("Broadhead: the cell has stopped the session, so what ran is not known")
        return CellQueries.from_json(json.loads(self._watch.finish()))


class _WithoutBroadhead:
    """The watch over a SparkContext without the plugin."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context

    @property
    def tasks(self) -> Tasks | None:
        return tasks_of(self._context)

    def finish(self) -> object:
        return Message("this session runs without Broadhead: see broadhead doctor")


def _watch_over(context: SparkContext) -> SessionWatch:
    from py4j.java_gateway import JavaClass
    from py4j.protocol import Py4JError

    try:
        start = JavaClass(_WATCH, context._gateway._gateway_client).start
    except Py4JError:
        return _WithoutBroadhead(context)
    return _LocalWatch(context, start(context._jsc.sc(), _DESCRIBED))
