"""In which modes and configurations the queries of a `.sql` file are run, by day and by night."""

from __future__ import annotations

import os
from collections import defaultdict
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
SECOND = (LEGACY, WITHOUT_NULLS)
"""By turns the second mode of the queries of a file by day."""


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

    Each query is run under ANSI with all values, and in small batches of one of the other modes;
    one that stands for several is another one of these in the second mode. Queries take the second
    modes and the configurations by turns, so that those beside each other, which are alike, have
    different ones; the second run of a query has another configuration than the first.
    """
    blocks = _blocks(file)
    headers = file.configurations()
    asked: defaultdict[tuple[Mode, int], list[Query]] = defaultdict(list)
    for turn in range(max(len(blocks), len(headers), 2) if blocks else 0):
        # The second modes do not always meet the same configurations.
        header = turn + turn // max(len(SECOND), len(headers))
        for further, (mode, query) in enumerate(_asked(blocks[turn % len(blocks)], turn)):
            asked[mode, (header + further) % len(headers)].append(query)
    for mode, number in product(MODES, range(len(headers))):
        yield Run(file, mode, headers[number], asked[mode, number])


def _blocks(file: SqlFile) -> list[list[Query]]:
    """The queries of each block that is not for the night: one, or those that it stands for."""
    blocks: dict[int, list[Query]] = {}
    for query in file.queries:
        if not query.nightly:
            blocks.setdefault(query.line, []).append(query)
    return list(blocks.values())


def _asked(block: list[Query], turn: int) -> list[tuple[Mode, Query]]:
    """The query of a block, or two of those that it stands for, with the modes of the turn."""
    first = block[0]
    if first.only is not None:
        modes = [mode for mode in MODES if first.runs(ansi=mode.ansi)]
    elif first.ansi_error is not None:
        # Rows come in the legacy mode alone.
        modes = [ANSI, LEGACY]
    else:
        modes = [ANSI, SECOND[turn % len(SECOND)]]
    begun = turn // len(SECOND)
    return [(mode, block[(begun + n) % len(block)]) for n, mode in enumerate(modes)]
