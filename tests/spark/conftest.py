"""A session of the tests' Spark application for each module."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from local_session import local_session
from spark.answers import Answers
from spark.cluster_programs import RunInSession, application
from sql_files import parse
from sql_runs import SHARED
from sql_sessions import CORRECTED, SqlRunner, configured


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> SqlRunner:
    """Made once by a worker, though other modules' tests come between its groups of files.

    The workers write the shared tables together: one begins with the first, the next with the last.
    """
    folder = tmp_path_factory.getbasetemp()
    folder = (folder if worker_id == "master" else folder.parent) / "sql-tables"
    folder.mkdir(exist_ok=True)
    made = SqlRunner(local_session, folder)
    made.make_tables(parse(SHARED), backwards=worker_id[-1] in "13579")
    return made


@pytest.fixture(scope="module")
def answers() -> Iterator[Answers]:
    """Asks Spark and Broadhead the same in a session of the module's own."""
    session = local_session()
    session.conf.set("spark.broadhead.costModel.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    for key in CORRECTED:
        session.conf.set(key, "CORRECTED")
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


START = """
options = KEYS["spark.executor.extraJavaOptions"] + " -Djava.io.tmpdir=" + {temporary!r}
spark = start("local-cluster[2,1,1024]", **{{
    "spark.executor.extraJavaOptions": options,
    "spark.task.maxFailures": "2",
    "spark.shuffle.io.retryWait": "100ms",
}})
"""


@pytest.fixture(scope="session")
def two_executors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunInSession]:
    """Runs a program in a new session of an application with two executors.

    Its tests are the group `two executors`, so that one application serves them all. Programs get
    the folder of their test as `folder`, and the temporary directory of the executors as `own`.
    """
    # The paths of sockets must be short.
    temporary = tempfile.mkdtemp(dir="/tmp")
    with application(tmp_path_factory.mktemp("executors")) as run:
        run(START.format(temporary=temporary))

        def run_in_session(folder: Path, body: str) -> dict[str, Any]:
            names = f"folder, own = Path({str(folder)!r}), {temporary!r}\n"
            return run(f"{names}spark = spark.newSession()\n{body}")

        yield run_in_session
    shutil.rmtree(temporary, ignore_errors=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name needs every kind of escape in a path or URI."""
    path = tmp_path / "größe 100% #1 + a"
    path.mkdir()
    return path
