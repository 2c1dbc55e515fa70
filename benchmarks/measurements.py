"""Results of one invocation: every run's time, and what follows from them."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import machine

from engine import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine import Engine


@dataclass(frozen=True)
class Options:
    """What the command line asks for; the same for every suite and engine."""

    engines: tuple[Engine, ...]
    scale: float
    queries: tuple[Any, ...]
    pipelines: tuple[str, ...]
    runs: int
    warmups: int
    cores: int
    memory: str
    data: Path
    logs: Path
    timeout: float
    deadline: float
    profile: bool
    conf: Mapping[str, str]

    @property
    def late(self) -> bool:
        """Whether the time for this suite is used up."""
        return time.monotonic() > self.deadline

    def session_conf(self) -> dict[str, str]:
        """Configuration that all engines share."""
        return {
            "spark.master": f"local[{self.cores}]",
            "spark.driver.memory": self.memory,
            "spark.driver.maxResultSize": "0",
            "spark.sql.shuffle.partitions": str(2 * self.cores),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "WARN",
            **self.conf,
        }


@dataclass
class Results:
    """Measurements of one suite, written to `path` after every addition worth keeping."""

    suite: str
    options: Options
    path: Path
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)
    profiles: dict[str, dict[str, Any]] = field(default_factory=dict)
    accelerated: dict[str, list[str]] = field(default_factory=dict)
    errors: list[dict[str, str]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def add_run(
        self,
        measurement: str,
        engine: str,
        seconds: float,
        *,
        warmup: bool,
        cpu_s: float | None = None,
    ) -> None:
        """Keep the time of one run, and the CPU time of all its processes where it is known."""
        run: dict[str, Any] = {
            "measurement": measurement,
            "engine": engine,
            "seconds": round(seconds, 5),
            "warmup": warmup,
        }
        if cpu_s is not None:
            run["cpu_s"] = round(cpu_s, 5)
        self.runs.append(run)

    def add_error(self, measurement: str, engine: str, text: str) -> None:
        """Keep what went wrong; a result with errors makes the exit status 1."""
        self.errors.append({"measurement": measurement, "engine": engine, "error": text})

    def times(self, measurement: str, engine: str, clock: str = "seconds") -> list[float]:
        """Times of the runs that count, as far as they have one of this clock."""
        return [
            run[clock]
            for run in self.runs
            if (run["measurement"], run["engine"]) == (measurement, engine)
            and not run["warmup"]
            and clock in run
        ]

    def summary(self) -> list[dict[str, Any]]:
        """Best, median and ratio to the first engine, for each measurement and engine."""
        names = [engine.name for engine in self.options.engines]
        rows = []
        for measurement in dict.fromkeys(run["measurement"] for run in self.runs):
            row: dict[str, Any] = {"measurement": measurement, "engines": {}}
            for name in names:
                if self.times(measurement, name):
                    row["engines"][name] = self._figures(measurement, name, names[0])
            rows.append(row)
        return rows

    def _figures(self, measurement: str, engine: str, baseline: str) -> dict[str, Any]:
        times = self.times(measurement, engine)
        used = self.times(measurement, engine, "cpu_s")
        figures: dict[str, Any] = {
            "best_s": min(times),
            "median_s": round(statistics.median(times), 5),
            "runs": len(times),
        }
        if used:
            figures["best_cpu_s"] = min(used)
        reference = self.times(measurement, baseline)
        if reference:
            figures["ratio_best"] = round(min(reference) / min(times), 3)
            figures["ratio_median"] = round(
                statistics.median(reference) / statistics.median(times), 3
            )
        return figures

    def totals(self) -> dict[str, Any]:
        """Sum of the best times over the measurements that every engine has, with ratios."""
        names = [engine.name for engine in self.options.engines]
        complete = [row["engines"] for row in self.summary() if set(row["engines"]) == set(names)]
        sums = {name: sum(row[name]["best_s"] for row in complete) for name in names}
        return {
            "measurements": len(complete),
            "best_s": {name: round(value, 4) for name, value in sums.items()},
            "ratio": {n: round(sums[names[0]] / v, 3) for n, v in sums.items() if v > 0},
        }

    def as_json(self) -> dict[str, Any]:
        """All of it, as it stands in the file."""
        engines = {engine.name: _described(engine) for engine in self.options.engines}
        return {
            "suite": self.suite,
            "note": "Figures derived from TPC-H or TPC-DS are not comparable to published results",
            "started": self.started,
            "commit": machine.commit(REPOSITORY),
            "machine": machine.machine(),
            "versions": {"driver": machine.versions(), **self.versions},
            "options": {
                "scale": self.options.scale,
                "cores": self.options.cores,
                "memory": self.options.memory,
                "conf": self.options.session_conf(),
            },
            "engines": engines,
            "summary": self.summary(),
            "totals": self.totals(),
            "extra": self.extra,
            "profiles": self.profiles,
            "accelerated": self.accelerated,
            "errors": self.errors,
            "runs": self.runs,
        }

    def save(self) -> None:
        """Write the file, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_name(self.path.name + ".partial")
        partial.write_text(
            json.dumps(self.as_json(), indent=1, default=str) + "\n", encoding="utf-8"
        )
        partial.replace(self.path)


def _described(engine: Engine) -> dict[str, Any]:
    """What an engine is; where its files lie says nothing to others."""
    jars = [jar.name for jar in engine.jars]
    return {**asdict(engine), "jars": jars, "python": Path(engine.python).name}
