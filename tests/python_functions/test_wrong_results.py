"""Functions that return what they should not: Spark's error, and the next query works."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd
import pyarrow as pa
import pytest

from python_functions.contract import Contract, Make


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("wrong_results"))


WRONG: dict[str, Callable[[], Make]] = {}


def wrong(name: str) -> Callable[[Callable[[], Make]], None]:
    """Registers what makes a query whose function returns what it should not."""

    def add(make: Callable[[], Make]) -> None:
        WRONG[name] = make

    return add


@wrong("too few values")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(x: pd.Series) -> pd.Series:
        return x[1:]

    return lambda t: t.select(f("x"))


@wrong("a value, not a series")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(x: pd.Series) -> pd.Series:
        return 1.0

    return lambda t: t.select(f("x"))


@wrong("text for numbers")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(x: pd.Series) -> pd.Series:
        return x.map(lambda v: f"v{v}")

    return lambda t: t.select(f("x"))


@wrong("an iterator that ends early")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in batches:
            yield x[:10]

    return lambda t: t.select(f("x"))


@wrong("an iterator with one more")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in batches:
            yield x
        yield x

    return lambda t: t.select(f("x"))


@wrong("no iterator from an iterator")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        return 7

    return lambda t: t.select(f("x"))


@wrong("other columns from a map")
def _() -> Make:
    def f(batches):
        for batch in batches:
            yield batch[["k"]]

    return lambda t: t.mapInPandas(f, "id long, x double")


@wrong("no frame from a map")
def _() -> Make:
    def f(batches):
        for _ in batches:
            yield 7

    return lambda t: t.mapInPandas(f, "id long")


@wrong("no iterator from a map")
def _() -> Make:
    return lambda t: t.mapInPandas(lambda batches: 7, "id long")


@wrong("no batch from an arrow map")
def _() -> Make:
    def f(batches):
        for batch in batches:
            yield batch.to_pandas()

    return lambda t: t.mapInArrow(f, "id long")


@wrong("another type from an arrow map")
def _() -> Make:
    def f(batches):
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"id": ["text"] * batch.num_rows})

    return lambda t: t.mapInArrow(f, "id long")


@wrong("a dictionary from an arrow map")
def _() -> Make:
    def f(batches):
        for batch in batches:
            yield pa.RecordBatch.from_arrays([batch.column("id").dictionary_encode()], ["id"])

    return lambda t: t.mapInArrow(f, "id long")


@wrong("another name from an arrow map")
def _() -> Make:
    def f(batches):
        for batch in batches:
            yield batch.select(["k"])

    return lambda t: t.mapInArrow(f, "id long")


@wrong("no frame of a group")
def _() -> Make:
    return lambda t: t.groupBy("k").applyInPandas(lambda rows: 7, "id long")


@wrong("other columns of a group")
def _() -> Make:
    return lambda t: t.groupBy("k").applyInPandas(lambda rows: rows[["k", "x"]], "k int, y double")


@wrong("too many arguments")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(x: pd.Series, y: pd.Series) -> pd.Series:
        return x

    return lambda t: t.select(f("x"))


@wrong("a series from an aggregate")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(x: pd.Series) -> float:
        return x

    return lambda t: t.groupBy("k").agg(f("x"))


@wrong("a missing module")
def _() -> Make:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def f(x: pd.Series) -> pd.Series:
        import a_module_that_nobody_has

        return a_module_that_nobody_has.f(x)

    return lambda t: t.select(f("x"))


BY_NIGHT = {
    "a value, not a series",
    "an iterator with one more",
    "no batch from an arrow map",
    "no frame from a map",
    "no frame of a group",
    "no iterator from a map",
    "another name from an arrow map",
    "other columns of a group",
}
"""Those of which another one is much like it."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly if name in BY_NIGHT else []) for name in WRONG],
)
def test_wrong_results(contract: Contract, name: str) -> None:
    contract.same_failure(WRONG[name]())
