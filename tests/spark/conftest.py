"""A session of the tests' Spark application for each module."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from local_session import local_session
from spark.answers import Answers
from sql_sessions import configured


@pytest.fixture(scope="module")
def answers() -> Iterator[Answers]:
    """Asks Spark and Broadhead the same in a session of the module's own."""
    session = local_session()
    session.conf.set("spark.broadhead.costModel.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield Answers(session)
    session.catalog.clearCache()


@pytest.fixture
def configuration(answers: Answers) -> Iterator:
    """Sets keys of the session until the test ends."""
    opened: list[AbstractContextManager[None]] = []

    def configure(**keys: str) -> None:
        dotted = {key.replace("__", "."): value for key, value in keys.items()}
        opened.append(configured(answers.session, dotted))
        opened[-1].__enter__()

    yield configure
    for context in reversed(opened):
        context.__exit__(None, None, None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name needs every kind of escape in a path or URI."""
    path = tmp_path / "größe 100% #1 + a"
    path.mkdir()
    return path
