"""Every `.sql` file in every mode, and that each function and aggregate has its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import functions
from broadhead.plan.decode import snake_case
from local_session import local_session
from sql_files import SqlFile, parse
from sql_sessions import MODES, Mode, SqlRunner

WRITTEN_BY_API = {"AtLeastNNonNulls": "test_dropna"}
"""Functions that no SQL text gives, and the test here that covers them."""
TESTS = Path(__file__).parents[1]
SHARED = TESTS / "functions" / "tables.sql"
FILES = sorted(
    path
    for folder in ("functions", "operators")
    for path in (TESTS / folder).glob("*.sql")
    if path != SHARED
)


def cases() -> list[tuple[Path, Mode, dict[str, str]]]:
    """Each file in each mode, with every configuration of its header at least once."""
    found = []
    for path in FILES:
        configurations = parse(path).configurations()
        for turn in range(max(len(MODES), len(configurations))):
            mode = MODES[turn % len(MODES)]
            found.append((path, mode, configurations[turn % len(configurations)]))
    return found


def name_of(case: tuple[Path, Mode, dict[str, str]]) -> str:
    path, mode, configuration = case
    return "-".join([path.parent.name, path.stem, mode.name, *configuration.values()])


def test_no_file_replaces_a_shared_table() -> None:
    """The files of a worker share a session, and their order is not fixed."""
    shared = {table.name for table in parse(SHARED).tables}
    replaced = {path.name: {t.name for t in parse(path).tables} & shared for path in FILES}
    assert {name for name, tables in replaced.items() if tables} == set()


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> SqlRunner:
    made = SqlRunner(local_session, tmp_path_factory.mktemp("tables"))
    made.make_tables(parse(SHARED))
    return made


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_sql_file(runner: SqlRunner, case: tuple[Path, Mode, dict[str, str]]) -> None:
    path, mode, configuration = case
    file: SqlFile = parse(path)
    runner.make_tables(file)
    problems = runner.run(file, mode, configuration)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_every_function_has_a_file() -> None:
    covered = {path.stem for path in FILES} | {
        file_name(spark) for path in FILES for spark in parse(path).covers
    }
    registered = {**functions(), **aggregates()}
    missing = sorted(
        f"{name} ({file_name(name)}.sql)"
        for name in registered.keys() - WRITTEN_BY_API
        if file_name(name) not in covered
    )
    assert not missing, f"tests/functions has no file for: {', '.join(missing)}"


def test_dropna(runner: SqlRunner) -> None:
    runner.check_frame(lambda spark: spark.table("floats").dropna())
    runner.check_frame(lambda spark: spark.table("everything").dropna(thresh=3))


def test_union_by_name(runner: SqlRunner) -> None:
    runner.check_frame(
        lambda spark: (
            spark.table("floats")
            .selectExpr("'of floats' AS source", "f", "d")
            .unionByName(spark.table("floats").selectExpr("d", "'turned' AS source", "f"))
            .unionByName(spark.table("floats").selectExpr("f * 2 AS f"), allowMissingColumns=True)
        )
    )


def file_name(spark: str) -> str:
    """`IsNaN` as `is_nan`: the file of a Spark class."""
    return snake_case(spark.replace("NaN", "Nan"))
