"""The taxi example: the program with and without Broadhead."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from local_session import local_session
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLE = Path(__file__).parents[2] / "examples" / "taxi"
TRIPS = 4000
TABLES = {"tips_by_hour": 1e-12, "fares_by_zone": 1e-9, "zones_by_hour": 0.0}
"""The tables, and how far their floats may differ: sums and models depend on the order of rows."""
SETTINGS = {"spark.sql.shuffle.partitions": "2", "spark.broadhead.device": "cpu"}
FUNCTIONS = {"ArrowEvalPython", "FlatMapGroupsInPandas"}
REPLAYS = "number of tasks replayed by Spark"


@dataclass(frozen=True)
class Run:
    """What the program wrote, and the operators of its queries, with the tasks replayed."""

    output: Path
    operators: set[str]
    replays: int


@pytest.fixture(scope="module")
def run_script() -> Iterator[Callable[..., None]]:
    """Runs a file of the example as a program, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLE))

        def run(name: str, *arguments: str) -> None:
            patch.setattr(sys, "argv", [name, *arguments])
            runpy.run_path(str(EXAMPLE / name), run_name="__main__")

        yield run


@pytest.fixture(scope="module")
def data(run_script: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taxi") / "data"
    run_script("generate_trips.py", "--folder", str(folder), "--trips", str(TRIPS))
    return folder


@pytest.fixture(scope="module")
def runs(run_script: Callable[..., None], data: Path) -> dict[bool, Run]:
    """The program's runs: with Broadhead (True) and without."""
    from pyspark.sql import SparkSession

    local_session()
    # The session that the program finds.
    session = SparkSession.builder.getOrCreate()
    found = {}
    for enabled in (True, False):
        output = data.with_name(f"results-{enabled}")
        with (
            configured(session, SETTINGS | {"spark.broadhead.enabled": str(enabled).lower()}),
            executed(session) as plans,
        ):
            run_script("taxi.py", "--data", str(data), "--output", str(output))
        found[enabled] = Run(output, {name for name, _ in plans}, sum(n for _, n in plans))
    return found


@contextmanager
def executed(session: SparkSession) -> Iterator[list[tuple[str, int]]]:
    """Afterwards the operators of the queries that ran, each with its replayed tasks."""
    store = session._jsparkSession.sharedState().statusStore()
    before = set(executions(session))
    operators: list[tuple[str, int]] = []
    yield operators
    for query in executions(session):
        # the store keeps the last thousand
        if query in before:
            continue
        values = store.executionMetrics(query)
        nodes = store.planGraph(query).allNodes()
        for node in (nodes.apply(n) for n in range(nodes.size())):
            metrics = [node.metrics().apply(n) for n in range(node.metrics().size())]
            replays = [values.get(m.accumulatorId()) for m in metrics if m.name() == REPLAYS]
            operators.append((node.name(), sum(int(n.get()) for n in replays if n.isDefined())))


def executions(session: SparkSession) -> Iterator[int]:
    """The ids of the queries that Spark's SQL store has, the last one first."""
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    queries = session._jsparkSession.sharedState().statusStore().executionsList()
    return (queries.apply(n).executionId() for n in reversed(range(queries.size())))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_that_of_plain_spark(runs: dict[bool, Run], name: str) -> None:
    actual, expected = (pd.read_csv(runs[on].output / f"{name}.csv") for on in (True, False))
    assert len(actual) > 20
    pd.testing.assert_frame_equal(actual, expected, rtol=TABLES[name], atol=0)


def test_the_functions_run_in_fragments(runs: dict[bool, Run]) -> None:
    assert {f"Broadhead{name}" for name in FUNCTIONS} <= runs[True].operators
    assert not FUNCTIONS & runs[True].operators
    assert runs[True].replays == 0
    assert runs[False].operators >= FUNCTIONS


def test_the_models_find_the_prices(runs: dict[bool, Run]) -> None:
    fares = pd.read_csv(runs[True].output / "fares_by_zone.csv")
    prices = fares[["per_km", "per_minute"]].median()
    assert prices["per_km"] == pytest.approx(1.6, rel=0.05)
    assert prices["per_minute"] == pytest.approx(0.45, rel=0.05)


def test_the_plots(runs: dict[bool, Run]) -> None:
    for name in TABLES:
        assert (runs[True].output / f"{name}.png").read_bytes().startswith(b"\x89PNG")
