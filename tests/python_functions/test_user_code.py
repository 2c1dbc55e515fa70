"""User code that behaves badly: the query ends as in Spark, and the next one works."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest

from python_functions.contract import Calls, Contract, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("user_code"))


def the_kinds(act: Callable[[], Any]) -> dict[str, Callable[[DataFrame], DataFrame]]:
    """A query of each kind whose function calls `act` first."""
    from pyspark.sql.functions import pandas_udf, udf

    @pandas_udf("double")
    def the_scalar(x: pd.Series) -> pd.Series:
        act()
        return x

    @pandas_udf("double")
    def the_iterator(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in batches:
            act()
            yield x

    @udf("double", useArrow=True)
    def the_row(x: float) -> float:
        act()
        return x

    @pandas_udf("double")
    def the_mean(x: pd.Series) -> float:
        act()
        return x.mean()

    return {
        "scalar": lambda t: t.select(the_scalar("x")),
        "iterator": lambda t: t.select(the_iterator("x")),
        "row": lambda t: t.select(the_row("x")),
        "aggregate": lambda t: t.groupBy("k").agg(the_mean("x")),
        **kinds_of_rows(act),
    }


def kinds_of_rows(act: Callable[[], Any]) -> dict[str, Callable[[DataFrame], DataFrame]]:
    """The kinds whose functions get whole rows."""

    def the_map(batches):
        for batch in batches:
            act()
            yield batch[["id"]]

    def the_arrow_map(batches):
        for batch in batches:
            act()
            yield batch.select(["id"])

    def the_group(rows):
        act()
        return rows[["id"]]

    def the_pair(left, right):
        act()
        return left[["id"]]

    return {
        "map": lambda t: t.mapInPandas(the_map, "id long"),
        "arrow map": lambda t: t.mapInArrow(the_arrow_map, "id long"),
        "group": lambda t: t.groupBy("k").applyInPandas(the_group, "id long"),
        "cogroup": lambda t: (
            t.groupBy("k").cogroup(t.groupBy("k")).applyInPandas(the_pair, "id long")
        ),
    }


KINDS = "scalar", "iterator", "row", "aggregate", "map", "arrow map", "group", "cogroup"
BY_NIGHT = {"iterator", "row", "aggregate", "arrow map", "cogroup"}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.nightly if kind in BY_NIGHT else []) for kind in KINDS],
)
def test_an_exception(contract: Contract, tmp_path: Path, kind: str) -> None:
    calls = Calls(tmp_path / "calls")

    def the_act() -> None:
        calls.add()
        raise ValueError("the user said so")

    query = the_kinds(the_act)[kind]
    failure = contract.failure(query, enabled=False)
    spark = len(calls.taken())
    assert contract.failure(query, enabled=True) == failure
    ours = len(calls.taken())
    assert "ValueError: the user said so" in failure.raised
    assert "the_act" in failure.functions
    # once for each task that has started when the first one fails
    assert 1 <= ours <= 3, (ours, spark)


class HostileError(Exception):
    """Its text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


RAISED: dict[str, Callable[[], BaseException]] = {
    "no text": HostileError,
    "stop iteration": lambda: StopIteration("mine"),
    "keyboard interrupt": lambda: KeyboardInterrupt("mine"),
    "exit": lambda: SystemExit("mine"),
    "generator exit": lambda: GeneratorExit("mine"),
    "memory": lambda: MemoryError("mine"),
    "end of file": lambda: EOFError("mine"),
    "broken pipe": lambda: BrokenPipeError("mine"),
    "arrow": lambda: pa.ArrowInvalid("mine"),
    "recursion": lambda: RecursionError("mine"),
    "group": lambda: ExceptionGroup("mine", [ValueError("one"), KeyError("two")]),
}


RARE = {
    "group",
    "stop iteration",
    "generator exit",
    "end of file",
    "broken pipe",
    "memory",
    "arrow",
    "recursion",
    "no text",
}
"""As the others, exceptions of Python's own that the worker must not take for its own."""


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        pytest.param(
            *(raised, kind),
            marks=[] if kind == "scalar" and raised not in RARE else pytest.mark.nightly,
        )
        for raised in RAISED
        for kind in ("scalar", "map", "group")
    ],
)
def test_rare_exceptions(contract: Contract, tmp_path: Path, raised: str, kind: str) -> None:
    from pyspark.cloudpickle import register_pickle_by_value

    calls = Calls(tmp_path / "calls")
    make = RAISED[raised]
    register_pickle_by_value(sys.modules[__name__])

    def the_act() -> None:
        calls.add()
        raise make()

    query = the_kinds(the_act)[kind]
    failure = contract.failure(query, enabled=False)
    calls.taken()
    assert contract.failure(query, enabled=True) == failure
    assert 1 <= len(calls.taken()) <= 3


@pytest.mark.nightly  # a query for each of many texts
def test_the_same_text(contract: Contract) -> None:
    """Simplified, whole and hidden tracebacks, with a chain of exceptions."""
    from pyspark.errors import PythonException

    def the_inner() -> None:
        raise KeyError("inner")

    def the_act() -> None:
        try:
            the_inner()
        except KeyError as error:
            raise ValueError("outer") from error

    prefix = "spark__sql__execution__pyspark__udf__"
    texts = {}
    for name in ("simplifiedTraceback", "hideTraceback"):
        for value in ("true", "false"):
            found = []
            for enabled in ("false", "true"):
                keys = {f"{prefix}{name}__enabled": value, "spark__broadhead__enabled": enabled}
                with settings(contract.session, **keys), pytest.raises(PythonException) as raised:
                    the_kinds(the_act)["map"](contract.table.coalesce(1)).collect()
                found.append(str(raised.value).split("JVM stacktrace")[0])
            texts[name, value] = found
    for (name, value), (spark, ours) in texts.items():
        if (name, value) != ("simplifiedTraceback", "false"):
            assert ours == spark, (name, value)
    whole = texts["simplifiedTraceback", "false"]
    assert all("in the_inner" in text and "direct cause" in text for text in whole)


@pytest.mark.nightly  # a query for each kind
def test_what_is_left_unread(contract: Contract, tmp_path: Path) -> None:
    """A function of an iterator may stop early, read ahead, or return more than it gets."""
    closed = Calls(tmp_path / "closed")

    def first(batches):
        yield next(batches)[["id"]]

    def none(batches):
        return iter([])

    def more(batches):
        for batch in batches:
            yield batch[["id"]]
            yield batch[["id"]] + 0.5
            yield batch[["id"]][:0]
        yield pd.DataFrame({"id": [-1.0]})

    def late(batches):
        kept = list(batches)
        yield pd.concat(kept)[["id"]]

    def open_end(batches):
        try:
            for batch in batches:
                yield batch[["id"]]
        finally:
            closed.add()

    with settings(contract.session, spark__sql__execution__arrow__maxRecordsPerBatch="100"):
        for function in (first, none, more, late, open_end):
            contract.same_rows(lambda t, f=function: t.mapInPandas(f, "id double"))


def test_changes_of_the_input(contract: Contract) -> None:
    """Arrow's memory is the engine's: a function must not change what others read."""
    from pyspark.sql.functions import pandas_udf

    def change(batches):
        for batch in batches:
            batch["id"] = -batch["id"]
            try:
                batch["x"].values[:] = 5
            except ValueError:
                batch["x"] = batch["x"] + 1
            yield batch[["id", "x"]]

    @pandas_udf("double")
    def in_place(x: pd.Series) -> pd.Series:
        try:
            x.values[:] = 7
        except ValueError:
            return pd.Series([-1.0] * len(x))
        x += 1
        return x

    def group(rows):
        rows["x"] = rows["x"] * 2
        rows.drop(rows.index[0], inplace=True)
        return rows[["id", "x"]]

    contract.same_rows(lambda t: t.mapInPandas(change, "id long, x double"))
    contract.same_rows(lambda t: t.select(in_place("x").alias("y"), "x", (t.x * 2).alias("z")))
    contract.same_rows(lambda t: t.select("x", in_place("x").alias("y"), in_place(t.x + 1), "id"))
    contract.same_rows(lambda t: t.groupBy("k").applyInPandas(group, "id long, x double"))


def test_the_errors_of_its_input(contract: Contract) -> None:
    """What the rows below a function raise is Spark's error, though the function catches it."""

    def swallow(batches):
        rows = 0
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            except BaseException:
                yield pd.DataFrame({"id": [-1]})
                break
            rows += len(batch)
            yield batch[["id"]]

    def query(t: DataFrame) -> DataFrame:
        return t.selectExpr("1 div (id - 1500) id").mapInPandas(swallow, "id long")

    failure = contract.failure(query, enabled=True)
    assert failure.condition == "DIVIDE_BY_ZERO", failure
