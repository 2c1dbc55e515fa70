"""Spark's profilers of Python functions: `spark.sql.pyspark.udf.profiler`, `spark.profile`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import broadhead
from python_functions.contract import ROWS, Contract, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PROFILER = "spark__sql__pyspark__udf__profiler"

OTHER_KINDS = "a function of a function", "a pickled one", "an aggregate", "groups"

Query = Callable[["DataFrame"], "DataFrame"]


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("profilers"))


def called_kinds() -> dict[str, Query]:
    """Queries whose functions get their arguments before they are called."""
    from pyspark.sql.functions import pandas_udf, udf

    @udf("long", useArrow=True)
    def the_row(i: int) -> int:
        return max(i, 3)

    @udf("long", useArrow=False)
    def the_pickled_row(i: int) -> int:
        return max(i, 3)

    @pandas_udf("double")
    def the_scalar(x: pd.Series) -> pd.Series:
        return x.map(lambda value: max(value, 1.0))

    @pandas_udf("double")
    def the_mean(x: pd.Series) -> float:
        return max(x.mean(), 1.0)

    def the_group(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[["id"]]

    return {
        "two in one operator": lambda t: t.select(the_row("id"), the_scalar("x")),
        "a function of a function": lambda t: t.select(the_scalar(the_scalar("x"))),
        "a pickled one": lambda t: t.select(the_pickled_row("id")),
        "an aggregate": lambda t: t.groupBy("k").agg(the_mean("x")),
        "groups": lambda t: t.groupBy("k").applyInPandas(the_group, "id long"),
        "two operators": lambda t: (
            t.select("k", the_row("id").alias("id"))
            .groupBy("k")
            .applyInPandas(the_group, "id long")
        ),
    }


def iterator_kinds() -> dict[str, Query]:
    """Queries whose functions read their input."""
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def the_scalar(x: pd.Series) -> pd.Series:
        return x.map(lambda value: max(value, 1.0))

    @pandas_udf("double")
    def the_iterator(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in batches:
            yield x + 1

    def the_map(batches):
        for batch in batches:
            yield batch[["id"]]

    return {
        "an iterator": lambda t: t.select(the_iterator("x")),
        "a map of a function": lambda t: t.select("id", the_scalar("x").alias("x")).mapInPandas(
            the_map, "id long"
        ),
    }


def profiled(contract: Contract, query: Query, profiler: str, *, enabled: bool) -> list[Any]:
    """For each function in turn, its calls or its lines in the profile of a query."""
    profile = contract.session.profile
    profile.clear()
    keys = {PROFILER: profiler, "spark__broadhead__enabled": str(enabled).lower()}
    with settings(contract.session, spark__broadhead__strict="false", **keys):
        assert query(contract.table).collect()
    collected = profile.profiler_collector
    if profiler == "memory":
        return [lines_of(found) for _, found in sorted(collected._memory_profile_results.items())]
    return [calls_of(found) for _, found in sorted(collected._perf_profile_results.items())]


def calls_of(stats: Any) -> list[tuple[str, int, int]]:
    """How often each function of the user and each `max` in it was called."""
    ours = {key: found for key, found in stats.stats.items() if key[0] == Path(__file__).name}
    builtin = {
        key: found
        for key, found in stats.stats.items()
        if key[2] == "<built-in method builtins.max>"
        and any(caller[0] == Path(__file__).name for caller in found[4])
    }
    return sorted((key[2], *found[:2]) for key, found in (ours | builtin).items())


def lines_of(profile: Any) -> list[tuple[str, int, int]]:
    """How often each line of the user's functions ran."""
    return sorted(
        (Path(name).name, line, memory[2])
        for name, lines in profile.items()
        for line, memory in lines
        if memory is not None
    )


@pytest.mark.parametrize(
    "kind",
    [
        "two in one operator",
        "two operators",
        *(pytest.param(kind, marks=pytest.mark.nightly) for kind in OTHER_KINDS),
    ],
)
def test_calls(contract: Contract, kind: str) -> None:
    query = called_kinds()[kind]
    expected = profiled(contract, query, "perf", enabled=False)
    assert all(expected)
    assert profiled(contract, query, "perf", enabled=True) == expected
    with settings(contract.session, **{PROFILER: "perf"}):
        contract.rows(query)


@pytest.mark.parametrize(
    "kind", ["a map of a function", pytest.param("an iterator", marks=pytest.mark.nightly)]
)
def test_functions_that_read_their_input_stay_with_spark(contract: Contract, kind: str) -> None:
    """The engine would run inside the profiled call, with the other profiled functions."""
    query = iterator_kinds()[kind]
    expected = profiled(contract, query, "perf", enabled=False)
    assert profiled(contract, query, "perf", enabled=True) == expected
    keys = {PROFILER: "perf", "spark__broadhead__strict": "false"}
    with settings(contract.session, **keys):
        reasons = broadhead.explain(query(contract.table)).reasons
    assert any("spark.sql.pyspark.udf.profiler" in reason for reason in reasons), reasons


@pytest.mark.nightly  # by day the other profiler is compared, and the worker's code is the same
def test_memory(contract: Contract) -> None:
    kinds = called_kinds()
    for kind in kinds:
        expected = profiled(contract, kinds[kind], "memory", enabled=False)
        assert all(expected), kind
        assert profiled(contract, kinds[kind], "memory", enabled=True) == expected, kind


@pytest.mark.nightly  # by day the collected profiles are compared
def test_what_is_shown_and_dumped(contract: Contract, tmp_path: Path) -> None:
    found = []
    for enabled in (False, True):
        profiled(contract, called_kinds()["two in one operator"], "perf", enabled=enabled)
        with redirect_stdout(StringIO()) as shown:
            contract.session.profile.show(type="perf")
        folder = tmp_path / str(enabled)
        contract.session.profile.dump(str(folder))
        found.append((shown.getvalue().count("Profile of UDF<id="), len([*folder.iterdir()])))
    assert found == [(2, 2), (2, 2)]


@pytest.mark.nightly
def test_the_sum_of_all_tasks(contract: Contract) -> None:
    """The rows of a function in a query of several tasks are counted once."""
    (calls,) = profiled(contract, called_kinds()["a pickled one"], "perf", enabled=True)
    assert ("the_pickled_row", ROWS, ROWS) in calls
