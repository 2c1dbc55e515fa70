"""The processes that tell the driver how functions are computed, and those that fail to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.functions import udf

import broadhead

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from python_functions.comparison import Comparison

pytestmark = pytest.mark.xdist_group("python functions")


class Loaded:
    """Runs a program where it is loaded, and is None there."""

    def __init__(self, program: str) -> None:
        self._program = program

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self._program,)


def explained(session: SparkSession, program: str, added: int) -> list[str]:
    """What is said of a function that runs a program when it is loaded."""
    mark = Loaded(program)

    def larger(n: int) -> int:
        return n + added if mark is None else n

    frame = session.range(10).select(udf(larger, "long", useArrow=False)("id"))
    return [text for node in broadhead.explain(frame).nodes for text in node.functions]


@pytest.fixture
def sessions(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None]
) -> tuple[SparkSession, SparkSession]:
    configuration({"spark.broadhead.enabled": "true"})
    other = comparison.session.newSession()
    return comparison.session, other


def test_a_session_has_a_process_of_its_own(
    sessions: tuple[SparkSession, SparkSession], tmp_path: Path
) -> None:
    program = f"import os, pathlib; pathlib.Path({str(tmp_path)!r}, str(os.getpid())).touch()"
    first, second = sessions
    for session, added in ((first, 1), (first, 2), (second, 1), (second, 2)):
        assert len(explained(session, program, added)) == 1
    assert len(list(tmp_path.iterdir())) == 2


def test_one_function_that_ends_the_process_is_alone(
    sessions: tuple[SparkSession, SparkSession],
) -> None:
    session, _ = sessions
    assert explained(session, "import os; os._exit(1)", 3) == ["larger is called"]
    assert explained(session, "pass", 4) == ["larger is computed as an expression"]
    assert explained(session, "import os; os._exit(1)", 3) == ["larger is called"]
