"""Hashes of Spark's rows in the tests that compare queries, as tests/golden/rows keeps them.

Each test file has a file there. A line has a test, the how-manieth comparison of it, the Spark, and
the number and hash of the rows that this Spark gave, or -1 and the hash of its error:

    {"test": "test_shapes", "number": 0, "spark": "4.1", "count": 12, "digest": "..."}

A test whose rows or error in Broadhead have this hash need not ask Spark. In every other case Spark
is asked, and its answer decides: what is kept only saves time. `pytest --keep-rows` writes the
files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from sql_answers import Rows

TESTS = Path(__file__).parent
FOLDER = TESTS / "golden" / "rows"
ERROR = -1
"""The number of rows of a query that fails."""


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The rows that a Spark gave to a comparison of a test."""

    test: str
    number: int
    spark: str
    count: int
    digest: str

    @property
    def place(self) -> tuple[str, int, str]:
        """Which rows these are."""
        return self.test, self.number, self.spark


@dataclass(frozen=True, slots=True)
class Place:
    """A comparison of the running test, by a Spark."""

    file: Path
    test: str
    number: int
    spark: str

    def holds(self, found: Rows | list[str]) -> bool:
        """Whether these rows, or this error with its causes, are what is kept."""
        kept = self._kept()
        if kept is None or kept.count != _count(found):
            return False
        return kept == self._of(found)

    def has_rows(self) -> bool:
        """Whether rows are kept of this comparison, so that this Spark gave no error."""
        kept = self._kept()
        return kept is not None and kept.count != ERROR

    def keep(self, found: Rows | list[str]) -> None:
        """Add Spark's rows or error to the file, if all their values have an encoding."""
        try:
            line = json.dumps(asdict(self._of(found)))
        except TypeError:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _kept(self) -> KeptRows | None:
        return _kept(self.file).get((self.test, self.number, self.spark))

    def _of(self, found: Rows | list[str]) -> KeptRows:
        if isinstance(found, Rows):
            digest = found.digest()
        else:
            digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
        return KeptRows(self.test, self.number, self.spark, _count(found), digest)


def _count(found: Rows | list[str]) -> int:
    return len(found.rows) if isinstance(found, Rows) else ERROR


_comparisons: Counter[str] = Counter()


def next_place(spark: str) -> Place | None:
    """The next comparison of the running test; None outside of tests."""
    place = coming_place(spark)
    if place is not None:
        _comparisons[_running()] += 1
    return place


def coming_place(spark: str) -> Place | None:
    """As `next_place`, which then gives the same again."""
    path, _, test = _running().partition("::")
    if not test:
        return None
    # pytest-xdist adds the name of the group
    name = test.rpartition("@")[0] if test.rpartition("]")[2].find("@") >= 0 else test
    file = FOLDER / Path(path).relative_to("tests").with_suffix(".jsonl")
    return Place(file, name, _comparisons[_running()], spark)


def _running() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]


@cache
def _kept(file: Path) -> dict[tuple[str, int, str], KeptRows]:
    if not file.exists():
        return {}
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {kept.place: kept for kept in (KeptRows(**line) for line in lines)}


def keeps_rows() -> bool:
    """Whether Spark's rows are written to the files."""
    return os.environ.get("BROADHEAD_TEST_KEEP_ROWS") == "1"


def sort_files() -> None:
    """Order the lines of each file, and leave the last of each place."""
    for file in FOLDER.rglob("*.jsonl"):
        kept = _kept.__wrapped__(file)
        lines = [json.dumps(asdict(kept[place])) for place in sorted(kept)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
