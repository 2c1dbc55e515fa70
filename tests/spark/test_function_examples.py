"""The examples of Spark's own documentation, on Broadhead and on Spark alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from function_examples import CONFIGURATION, ENGINE, PARTLY, examples, make_one_row, places
from refresh_function_names import NAMES
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark.answers import Answers

CHANGING = re.compile(
    r"^(current_|now|localtimestamp|curdate|rand|uuid|uniform|shuffle|session_user|user|mode$)"
)
"""Names whose answers differ between two runs, or that have several right ones."""
BY_DAY = ("abs", "coalesce", "count_if", "decode", "every", "nvl2", "pmod", "trim")


@pytest.fixture(scope="module")
def documented(
    answers: Answers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[str]]]:
    """The examples of each name; the session is set as they need it."""
    with configured(answers.session, CONFIGURATION):
        make_one_row(answers.session, tmp_path_factory.mktemp("examples"))
        yield examples(answers.session)


def kept() -> dict[str, dict[str, str]]:
    """Where each name is computed, as the page of functions says."""
    listed: dict[str, dict[str, str]] = json.loads(NAMES.read_text())
    return listed


def test_the_page_lists_every_name(answers: Answers, documented: dict[str, list[str]]) -> None:
    if answers.session.version.startswith("4.1"):
        assert documented.keys() == kept().keys()


@pytest.mark.nightly
def test_the_page_says_where_each_name_is_computed(
    answers: Answers, documented: dict[str, list[str]]
) -> None:
    if not answers.session.version.startswith("4.1"):
        pytest.skip("the page is about the functions of Spark 4.1")
    found = places(answers.session)
    wrong = {name: place for name, place in found.items() if kept()[name] != place}
    assert not wrong, f"refresh it with: make docs\n{wrong}"


@pytest.mark.parametrize("name", BY_DAY)
def test_examples_by_day(answers: Answers, documented: dict[str, list[str]], name: str) -> None:
    assert kept()[name]["where"] in {ENGINE, PARTLY}
    check(answers, documented[name])


@pytest.mark.nightly
def test_every_example_of_a_name_of_the_engine(
    answers: Answers, documented: dict[str, list[str]]
) -> None:
    for name, queries in documented.items():
        place = kept().get(name, {}).get("where")
        if place in {ENGINE, PARTLY} and not CHANGING.match(name):
            check(answers, queries)


def check(answers: Answers, queries: list[str]) -> None:
    """Every query gives the same rows or the same error as without Broadhead."""
    for query in queries:
        outcomes = [_outcome(answers, query, enabled=enabled) for enabled in (False, True)]
        assert outcomes[0] == outcomes[1], query


def _outcome(answers: Answers, query: str, *, enabled: bool) -> str:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    with configured(answers.session, {"spark.broadhead.enabled": str(enabled).lower()}):
        try:
            frame = answers.session.sql(query)
            types = frame.schema.simpleString()
            if "binary" in types:  # whose text in Java is not that of its bytes
                return f"{types} {sorted(map(str, frame.toArrow().to_pylist()))}"
            rows = frame._jdf.collectAsList()
            return f"{types} {sorted(str(row.toString()) for row in rows)}"
        except PySparkException as error:
            return f"{type(error).__name__} {error.getCondition()}"
        except Py4JJavaError as error:  # of a class that PySpark does not know
            return _first_cause(error.java_exception)


def _first_cause(error: Any) -> str:
    while error.getCause() is not None:
        error = error.getCause()
    return str(error.toString())
