"""In which modes and configurations the queries of a `.sql` file are run, by day and by night."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from sql_files import Query, SqlFile, parse

TESTS = Path(__file__).parent
SHARED = TESTS / "functions" / "tables.sql"
FILES = sorted(
    path
    for folder in ("functions", "operators")
    for path in (TESTS / folder).glob("*.sql")
    if path != SHARED
)

OPTIMIZER = "org.apache.spark.sql.catalyst.optimizer."
NO_FOLDING = ",".join(
    OPTIMIZER + rule for rule in ("ConstantFolding", "NullPropagation", "ConvertToLocalRelation")
)


@dataclass(frozen=True, slots=True)
class Mode:
    """How a file is run. `folds` lets the optimizer compute constants before the engine."""

    name: str
    ansi: bool
    nulls: bool
    batch_rows: int
    folds: bool

    def configuration(self) -> dict[str, str]:
        """Keys of Spark."""
        return {
            "spark.sql.ansi.enabled": str(self.ansi).lower(),
            "spark.broadhead.batchRows": str(self.batch_rows),
            "spark.sql.optimizer.excludedRules": "" if self.folds else NO_FOLDING,
        }


ANSI = Mode("ansi", ansi=True, nulls=True, batch_rows=131_072, folds=True)
LEGACY = Mode("legacy", ansi=False, nulls=True, batch_rows=3, folds=False)
WITHOUT_NULLS = Mode("without-nulls", ansi=True, nulls=False, batch_rows=3, folds=False)
MODES = (ANSI, LEGACY, WITHOUT_NULLS)


@dataclass(frozen=True)
class Run:
    """Queries of a file in a mode, with a configuration of the file's header."""

    file: SqlFile
    mode: Mode
    header: dict[str, str]
    queries: list[Query]

    @property
    def name(self) -> str:
        """The mode, and the values of the header that are not those of every run."""
        turns = (value for key, value in self.header.items() if len(self.file.config[key]) > 1)
        return " ".join([self.mode.name, *turns])

    def configuration(self) -> dict[str, str]:
        """Keys of Spark."""
        return self.mode.configuration() | self.header


def runs(path: Path, *, nightly: bool) -> list[Run]:
    """The runs of a file that have queries: all there are at night, some of them by day."""
    file = parse(path)
    found = _all(file) if nightly else _by_day(file)
    return [run for run in found if run.queries]


def is_nightly() -> bool:
    """Whether the suite runs with `--nightly`."""
    return os.environ.get("BROADHEAD_TEST_NIGHTLY") == "1"


def _all(file: SqlFile) -> Iterator[Run]:
    """Every query in every mode with every configuration."""
    for mode, header in product(MODES, file.configurations()):
        queries = [query for query in file.queries if query.runs(ansi=mode.ansi)]
        yield Run(file, mode, header, queries)


def _by_day(file: SqlFile) -> Iterator[Run]:
    """Every query that is not for the night in two modes, and every configuration at least once.

    Each query is run under ANSI with all values, and in small batches of either other mode; one
    that stands for several is another one of these in the second mode. Where there are several
    configurations, the second run of a query has another one than the first. Where a mode has
    several of them, each of these runs has a part of the queries.
    """
    headers = file.configurations()
    turns = range(max(len(MODES), len(headers)))
    for turn in turns:
        mode = MODES[turn % len(MODES)]
        header = headers[turn % len(headers)] if turn != 2 else headers[min(2, len(headers) - 1)]
        of_mode = turns[turn % len(MODES) :: len(MODES)]
        queries = [
            query
            for query in file.queries
            if _is_run_by_day(query, mode) and of_mode[_number(query) % len(of_mode)] == turn
        ]
        yield Run(file, mode, header, queries)


def _number(query: Query) -> int:
    """A number that stays with the query's text."""
    return zlib.crc32((query.template or query.sql).encode())


def _is_run_by_day(query: Query, mode: Mode) -> bool:
    number = _number(query)
    turn = number // 2 + (mode is not ANSI)
    if query.nightly or not query.runs(ansi=mode.ansi) or turn % query.variants != query.variant:
        return False
    if mode is ANSI or query.only is not None:
        return True
    # Rows come in the legacy mode alone where ANSI has an error.
    legacy = query.ansi_error is not None or number % 2 == 0
    return legacy == (mode is LEGACY)
