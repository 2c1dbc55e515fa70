"""Each query of the `.sql` files with each of its functions switched off: still Spark's answer.

Spark then evaluates the function within the fragment, or its operator stays with Spark: another
plan for each function.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sql_answers import Mismatch
from sql_runs import ANSI, FILES, Run, runs
from sql_sessions import SqlRunner, check_answer, configured
from switched_functions import functions_of, without

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from golden_answers import Answer
    from sql_files import Query
    from sql_runs import Mode

BY_DAY = {"list_agg", "to_radians"}
"""An aggregate and a scalar function; the others are for the night."""
GROUPS = 8
"""As in test_sql_files.py, so that a file's tables are made once."""


def cases() -> list[object]:
    return [
        pytest.param(
            under_ansi(path),
            id=f"{path.parent.name}-{path.stem}",
            marks=[
                pytest.mark.xdist_group(f"sql {number % GROUPS}"),
                *([] if path.stem in BY_DAY else [pytest.mark.nightly]),
            ],
        )
        for number, path in enumerate(FILES)
    ]


def under_ansi(path: Path) -> Run:
    """A file's queries but those for the night, with all values; of several alike one, by turns."""
    run = next(run for run in runs(path, nightly=True) if run.mode is ANSI)
    queries = [query for query in run.queries if not query.nightly]
    return replace(run, queries=[q for q in queries if q.line % q.variants == q.variant])


@pytest.mark.parametrize("run", cases())
def test_each_function_switched_off(runner: SqlRunner, run: Run) -> None:
    problems = runner.run(run, check_switched)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def check_switched(session: SparkSession, query: Query, mode: Mode, kept: Answer | None) -> None:
    """Raises `Mismatch` with all functions without which the answer is not Spark's."""
    wrong = []
    with configured(session, {"spark.broadhead.sparkExpressions.enabled": "true"}):
        for function in functions_of(session.sql(query.sql)):
            try:
                with without(session, function):
                    check_answer(session, query, mode, kept, asks_spark=False)
            except Exception as error:
                wrong.append(f"without {function}: {type(error).__name__}: {error}")
    if wrong:
        raise Mismatch("\n".join(wrong))
