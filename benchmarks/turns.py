"""Engines that take turns: warm-ups, compared rows, timed runs and profiles of a query."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadhead.demo.compare import difference
from engine import EngineError, EngineProcess

if TYPE_CHECKING:
    from measurements import Options, Results

    from broadhead.demo.compare import Ordered


@dataclass(frozen=True)
class Measured:
    """A query to measure: the request for a session's process, and what decides its order."""

    label: str
    request: Mapping[str, object]
    order_by: Sequence[str] = ()
    limit: int | None = None

    def ordered(self, columns: Sequence[str]) -> Ordered:
        """What decides the order of rows with these columns."""
        del columns
        return self


class Turns:
    """The running engines, which take turns query by query, and where their results go.

    `tables` are folders by name, which Spark's data source `source` reads; `statements` of SQL
    are run after that.
    """

    def __init__(
        self,
        options: Options,
        results: Results,
        tables: dict[str, str],
        source: str = "parquet",
        statements: Sequence[str] = (),
    ) -> None:
        self._options = options
        self._results = results
        self._views = {"tables": tables, "source": source}
        self._statements = statements
        self._processes: list[EngineProcess] = []

    def start(self, process: EngineProcess) -> None:
        """Start an engine; one that does not start is left out, with an error in the results."""
        name = process.engine.name
        try:
            answer = process.start(self._options.timeout)
            process.request({"do": "views", **self._views}, self._options.timeout)
            for sql in self._statements:
                process.request({"do": "run", "sql": sql}, self._options.timeout)
        except EngineError as error:
            self._results.add_error("start", name, str(error))
            return
        self._results.versions[name] = answer["versions"]
        self._processes.append(process)

    def seconds(self, query: Measured) -> float:
        """Seconds of one run of the first engine that is not kept; infinity if it fails."""
        answer = self._ask(self._processes[0], query, query.request)
        return float("inf") if answer is None else float(answer["seconds"])

    def warm_up(self, query: Measured) -> None:
        """One run on each engine that is not kept."""
        for process in list(self._processes):
            self._ask(process, query, query.request)

    def measure(self, query: Measured) -> None:
        """Warm-ups, then timed runs, the engines in turns."""
        self._compare(query)
        for turn in range(1, self._options.warmups + self._options.runs):
            if self._options.late and turn > self._options.warmups:
                return
            for process in self._in_turn(turn):
                self._one(process, query, warmup=turn < self._options.warmups)
        if self._options.profile:
            for process in self._processes:
                self._profile(process, query)

    def _in_turn(self, turn: int) -> list[EngineProcess]:
        return self._processes if turn % 2 else self._processes[::-1]

    def _compare(self, query: Measured) -> None:
        """First run of each engine, whose rows must be those of the first engine."""
        expected = None
        for process in self._processes:
            with tempfile.TemporaryDirectory() as folder:
                rows = Path(folder) / "rows"
                if not self._one(process, query, warmup=self._options.warmups > 0, rows=rows):
                    continue
                columns, actual = pickle.loads(rows.read_bytes())
            if expected is None:
                expected = actual
                continue
            found = difference(query.ordered(columns), columns, expected, actual)
            if found is not None:
                self._results.add_error(query.label, process.engine.name, f"differs: {found}")

    def _one(
        self, process: EngineProcess, query: Measured, *, warmup: bool, rows: Path | None = None
    ) -> bool:
        request = {
            **query.request,
            "description": query.label,
            "rows": str(rows) if rows else None,
        }
        answer = self._ask(process, query, request)
        if answer is None:
            return False
        if answer.get("accelerated"):
            self._results.accelerated.setdefault(query.label, []).append(process.engine.name)
        self._results.add_run(
            query.label,
            process.engine.name,
            answer["seconds"],
            warmup=warmup,
            cpu_s=answer.get("cpu_s"),
        )
        return True

    def _profile(self, process: EngineProcess, query: Measured) -> None:
        request = {**query.request, "profile": True}
        answer = self._ask(process, query, request)
        if answer is not None:
            profiles = self._results.profiles.setdefault(query.label, {})
            profiles[process.engine.name] = {"seconds": answer["seconds"], **answer["profile"]}

    def _ask(
        self, process: EngineProcess, query: Measured, request: Mapping[str, object]
    ) -> dict[str, Any] | None:
        """Answer to a request; an engine that died or hangs is started anew for the next one."""
        try:
            return process.request(request, self._options.timeout)
        except EngineError as error:
            self._results.add_error(query.label, process.engine.name, str(error))
        if not process.running:
            self._processes.remove(process)
            self.start(process)
        return None
