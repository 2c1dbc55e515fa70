"""How long the tests of each file take: the table of it, and the limit.

tests/durations.json has the seconds of each file in a run of `make test test-tools` on two quiet
cores, and those of the table before it. `make durations` writes it. Long files are started first.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

TABLE = Path(__file__).with_name("durations.json")

BUDGET = 60.0
"""Seconds that a file's tests may take by day on two quiet cores, without fixtures."""
SLOWEST_MACHINE = 4.0
"""How much longer the slowest machine may take: one took four times as long as the fastest."""
SHOWN = 15


class FileDurations:
    """Adds up what the tests of each file take, and fails the run where one takes too long."""

    def __init__(self, config: pytest.Config) -> None:
        own = {"--nightly": False, "--kernels": "arrow", "--device": "cpu"}
        self._limited = all(config.getoption(name) == value for name, value in own.items())
        self._writes = config.getoption("--write-durations")
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._tests: defaultdict[str, int] = defaultdict(int)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test to its file, which is the `.sql` file for a run of one."""
        if report.when == "call":
            file = str(dict(report.user_properties)["file"])
            self._seconds[file] += report.duration
            self._tests[file] += 1

    def too_slow(self) -> dict[str, float]:
        """The files beyond the limit."""
        limit = BUDGET * SLOWEST_MACHINE
        return {f: s for f, s in self._seconds.items() if s > limit} if self._limited else {}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a run that is right but too slow; write the table where it is asked for."""
        if self._writes:
            write_table(self._seconds, self._tests)
        if exitstatus == 0 and self.too_slow():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The slowest files."""
        slowest = sorted(self._seconds.items(), key=lambda item: -item[1])
        terminalreporter.section("slowest files")
        for file, seconds in slowest[:SHOWN]:
            terminalreporter.line(f"{seconds:8.1f} s {self._tests[file]:5d} tests  {file}")
        for file, seconds in self.too_slow().items():
            terminalreporter.line(
                f"{file} took {seconds:.0f} s; {BUDGET:.0f} s are its budget on two quiet cores: "
                "make its tests share what they start, or mark some with pytest.mark.nightly",
                red=True,
            )


def known_seconds() -> dict[str, float]:
    """Seconds of each file by the table."""
    if not TABLE.exists():
        return {}
    return {file: found["seconds"] for file, found in json.loads(TABLE.read_text()).items()}


def write_table(seconds: dict[str, float], tests: dict[str, int]) -> None:
    """Write the files of this run, with their seconds before; others that exist stay."""
    before = known_seconds()
    rows = {
        file: row
        for file, row in (json.loads(TABLE.read_text()) if TABLE.exists() else {}).items()
        if (TABLE.parents[1] / file).exists()
    }
    for file, spent in seconds.items():
        rows[file] = {"tests": tests[file], "seconds": round(spent, 1)}
        if file in before:
            rows[file]["before"] = before[file]
    lines = (f"  {json.dumps(file)}: {json.dumps(row)}" for file, row in sorted(rows.items()))
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
