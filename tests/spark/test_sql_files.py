"""Every `.sql` file in its runs, and that each function and aggregate has its file."""

from __future__ import annotations

import json
import re

import pytest

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import functions
from broadhead.plan.decode import snake_case
from function_examples import ENGINE, PARTLY
from golden_answers import GoldenFile, asked_by_day, origin_of, path_of
from refresh_function_names import NAMES
from sql_files import parse
from sql_runs import FILES, SHARED, Run, is_nightly, runs
from sql_sessions import SqlRunner

WRITTEN_BY_API = {"AtLeastNNonNulls": "test_dropna", "Empty2Null": "test_partitions"}
"""Functions that no SQL text gives, and the test here that covers them."""
CONSTANT = {
    "curdate", "current_catalog", "current_database", "current_date", "current_schema",
    "current_timestamp", "current_timezone", "current_user", "e", "localtimestamp", "now", "pi",
    "session_user", "typeof", "user", "version",
}  # fmt: skip
"""Names of constants to Spark's optimizer: tests/spark/test_function_examples.py."""
OF_PLACES = {
    "input_file_block_length": "test_file_names", "input_file_block_start": "test_file_names",
    "input_file_name": "test_file_names", "monotonically_increasing_id": "test_row_ids",
    "spark_partition_id": "test_row_ids", "rand": "test_random_values",
    "randn": "test_random_values", "random": "test_random_values",
    "randstr": "test_random_values", "uniform": "test_random_values",
    "uuid": "test_random_values",
}  # fmt: skip
"""Names whose values depend on a row's place in files or partitions, and the tests of them."""
WORDS = {
    "and", "between", "case", "div", "ilike", "in", "like", "not", "or", "regexp", "rlike", "when",
}  # fmt: skip
"""Operators that are words."""
GROUPS = 8
"""Groups of files for `--dist loadgroup`, so that workers end together."""


def cases() -> list[object]:
    """The runs of all files, those of a file together in one group."""
    return [
        pytest.param(run, id=name_of(run), marks=pytest.mark.xdist_group(f"sql {number % GROUPS}"))
        for number, path in enumerate(FILES)
        for run in runs(path, nightly=is_nightly())
    ]


def name_of(run: Run) -> str:
    return "-".join([run.file.path.parent.name, run.file.path.stem, *run.name.split()])


def test_no_file_replaces_a_shared_table() -> None:
    """The files of a worker share a session, and their order is not fixed."""
    shared = {table.name for table in parse(SHARED).tables}
    replaced = {path.name: {t.name for t in parse(path).tables} & shared for path in FILES}
    assert {name for name, tables in replaced.items() if tables} == set()


@pytest.mark.parametrize("run", cases())
def test_sql_file(runner: SqlRunner, run: Run) -> None:
    problems = runner.run(run)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_answers_are_kept_of_every_query() -> None:
    """Else `make test` asks Spark again and again."""
    wrong = []
    for path, asked in asked_by_day(FILES).items():
        golden = GoldenFile.read(path_of(path))
        if golden.origin != origin_of(parse(path)) or golden.answers.keys() != asked:
            wrong.append(path.name)
    assert not wrong, f"tests/golden is not of {', '.join(wrong)}: run `make golden`"


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
    assert not missing, (
        f"tests/functions has no file for: {', '.join(missing)}; files have the names of Spark's "
        "classes, or name them in a line `-- COVERS`: docs/add-function.md"
    )


def test_every_name_is_in_a_file() -> None:
    """Also other names of the same function."""
    listed = json.loads(NAMES.read_text(encoding="utf-8"))
    computed = {name for name, entry in listed.items() if entry["where"] in {ENGINE, PARTLY}}
    written = " ".join(query.sql.lower() for path in FILES for query in parse(path).queries)
    found = {name for name in computed if is_written(name, written)}
    missing = sorted(computed - found - CONSTANT - OF_PLACES.keys())
    assert not missing, f"no query in tests/functions or tests/operators calls {missing}"


def is_written(name: str, text: str) -> bool:
    """Whether a name is called, as a function or as an operator."""
    if not name.isidentifier():
        return name in text
    return re.search(rf"\b{name}\b" if name in WORDS else rf"\b{name}\s*\(", text) is not None


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
    """`IsNaN` as `is_nan`, `UrlCodec.encode` as `url_codec_encode`: the file of a Spark class."""
    return snake_case(spark.replace("NaN", "Nan").replace(".", "_"))
