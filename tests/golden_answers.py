"""Spark's answers to the queries of `.sql` files, as tests/golden keeps them.

A `.sql` file has a file there, of lines of JSON. The first line says by which Spark and from which
tables and settings the answers are; each other line has a query, the runs in which it has this
answer, and the answer:

    {"query": "SELECT ...", "runs": ["ansi", "legacy UTC"], "types": [...], "rows": [...]}
    {"query": "SELECT ...", "runs": ["ansi"], "error": "..."}

Of many rows the file has their number and a hash. A run asks Spark itself where the file has no
answer, or one of another Spark, other tables or settings, and where Broadhead's answer is another
one: what is kept saves time and decides nothing. `make golden` writes the files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leeway import EXACT, Leeway
from sql_answers import Mismatch, Rows, compare_rows, decoded_row, encoded_row
from sql_files import SqlFile, parse
from sql_runs import MODES, SHARED, TESTS, runs

FOLDER = TESTS / "golden"
MOST_CHARACTERS = 1500
"""Rows with more are kept as a hash, unless floats in them may differ a little."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What Spark gives: rows, all or their number and hash, or the text of an error."""

    types: list[str] = field(default_factory=list)
    rows: list[tuple[Any, ...]] | None = None
    count: int = 0
    digest: str = ""
    error: str | None = None

    @staticmethod
    def of(found: Rows | str, tolerance: float) -> Answer:
        """The answer to keep of rows or of the text of an error."""
        if isinstance(found, str):
            return Answer(error=found)
        if tolerance == 0 and sum(map(len, found.lines())) > MOST_CHARACTERS:
            return Answer(found.types, None, len(found.rows), found.digest())
        return Answer(found.types, found.rows)

    def is_same(self, found: Rows | str, leeway: Leeway = EXACT) -> bool:
        """Whether Broadhead's rows or error are this answer."""
        if isinstance(found, str) or self.error is not None:
            return self.error == found
        if self.rows is None:
            own = (self.types, self.count, self.digest)
            return own == (found.types, len(found.rows), found.digest())
        try:
            compare_rows(Rows(found.names, self.types, self.rows), found, leeway)
        except Mismatch:
            return False
        return True

    def to_json(self) -> dict[str, Any]:
        """The fields of a line."""
        if self.error is not None:
            return {"error": self.error}
        head = {"types": self.types}
        if self.rows is None:
            return head | {"count": self.count, "digest": self.digest}
        lines = sorted(self.rows, key=lambda row: json.dumps(encoded_row(row)))
        return head | {"rows": [encoded_row(row) for row in lines]}

    @staticmethod
    def from_json(fields: dict[str, Any]) -> Answer:
        """The answer of a line."""
        if "rows" in fields:
            fields = fields | {"rows": [decoded_row(row) for row in fields["rows"]]}
        return Answer(**fields)


@dataclass(frozen=True, slots=True)
class GoldenFile:
    """What is kept for a `.sql` file: answers by query and name of the run."""

    spark: str
    origin: str
    answers: dict[tuple[str, str], Answer]

    def write(self, path: Path) -> None:
        """One line for the queries that have an answer in common."""
        lines: dict[str, tuple[dict[str, Any], list[str]]] = {}
        for (query, run), answer in self.answers.items():
            fields = {"query": query} | answer.to_json()
            lines.setdefault(json.dumps(fields), (fields, []))[1].append(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for fields in (
                {"spark": self.spark, "origin": self.origin},
                *({"query": own["query"], "runs": names} | own for own, names in lines.values()),
            ):
                file.write(json.dumps(fields, ensure_ascii=False) + "\n")

    @staticmethod
    def read(path: Path) -> GoldenFile:
        """A file's content; no answers where there is no file."""
        if not path.exists():
            return GoldenFile("", "", {})
        head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        answers = {}
        for fields in lines:
            query, names = fields.pop("query"), fields.pop("runs")
            answers |= {(query, name): Answer.from_json(fields) for name in names}
        return GoldenFile(head["spark"], head["origin"], answers)


def path_of(file: Path) -> Path:
    """Where the answers of a `.sql` file are kept."""
    return FOLDER / file.parent.name / f"{file.stem}.jsonl"


def origin_of(file: SqlFile) -> str:
    """A hash of all that Spark's answers depend on beside the query and the name of its run."""
    parts = [file.tables, parse(SHARED).tables, file.config, [m.configuration() for m in MODES]]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def kept_answers(file: SqlFile, spark: str) -> dict[tuple[str, str], Answer]:
    """The answers that still hold for the file and the Spark that runs."""
    golden = GoldenFile.read(path_of(file.path))
    return golden.answers if (golden.spark, golden.origin) == (spark, origin_of(file)) else {}


def asked_by_day(paths: Iterable[Path]) -> dict[Path, set[tuple[str, str]]]:
    """Query and name of the run of each answer that `make test` wants of a file."""
    return {
        path: {(query.sql, run.name) for run in runs(path, nightly=False) for query in run.queries}
        for path in paths
    }
