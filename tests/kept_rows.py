"""Hashes of Spark's rows in the tests that compare queries, as tests/golden/rows keeps them.

Each test file has a file there. A line has a test, the how-manieth comparison of it, the Spark, and
the number and hash of the rows that this Spark gave:

    {"test": "test_shapes", "number": 0, "spark": "4.1", "count": 12, "digest": "..."}

A test whose rows in Broadhead have this hash need not ask Spark. In every other case Spark is
asked, and its rows decide: what is kept only saves time. `pytest --keep-rows` writes the files.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from sql_answers import Rows

TESTS = Path(__file__).parent
FOLDER = TESTS / "golden" / "rows"


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

    def holds(self, rows: Rows) -> bool:
        """Whether these are the rows that are kept."""
        kept = _kept(self.file).get((self.test, self.number, self.spark))
        if kept is None or kept.count != len(rows.rows):
            return False
        return kept == self._of(rows)

    def keep(self, rows: Rows) -> None:
        """Add Spark's rows to the file, if all their values have an encoding."""
        try:
            line = json.dumps(asdict(self._of(rows)))
        except TypeError:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _of(self, rows: Rows) -> KeptRows:
        return KeptRows(self.test, self.number, self.spark, len(rows.rows), rows.digest())


_comparisons: Counter[str] = Counter()


def next_place(spark: str) -> Place | None:
    """The next comparison of the running test; None outside of tests."""
    running = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    path, _, test = running.partition("::")
    if not test:
        return None
    # pytest-xdist adds the name of the group
    name = test.rpartition("@")[0] if test.rpartition("]")[2].find("@") >= 0 else test
    number = _comparisons[running]
    _comparisons[running] += 1
    file = FOLDER / Path(path).relative_to("tests").with_suffix(".jsonl")
    return Place(file, name, number, spark)


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
