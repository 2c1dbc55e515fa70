"""What the user's functions find around them in a fragment's worker: as in Spark's own."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from python_functions.contract import ROWS, Calls, Contract, settings
from sql_runs import is_nightly


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contract]:
    found = Contract(tmp_path_factory.mktemp("environment"))
    yield found
    found.session.catalog.clearCache()


def test_broadcast_variables(contract: Contract) -> None:
    from pyspark.sql.functions import pandas_udf

    context = contract.session.sparkContext
    names = context.broadcast({n: f"name {n}" for n in range(7)})
    added = context.broadcast(100)

    @pandas_udf("string")
    def named(k: pd.Series) -> pd.Series:
        return k.map(names.value)

    def more(batches):
        for batch in batches:
            yield batch[["id"]] + added.value

    def largest(rows):
        return rows[["k", "id"]].max().to_frame().T + added.value

    contract.same_rows(lambda t: t.select(named("k").alias("n"), "id"))
    contract.same_rows(lambda t: t.mapInPandas(more, "id long"))
    contract.same_rows(lambda t: t.groupBy("k").applyInPandas(largest, "k long, id long"))
    # two functions, each with a variable of its own, and one after the variable was destroyed
    chained = contract.same_rows(
        lambda t: t.select("id", named("k").alias("n")).mapInPandas(more, "id long")
    )
    assert len(chained) == ROWS


def test_a_function_larger_than_a_megabyte(contract: Contract) -> None:
    import numpy as np
    from pyspark.sql.functions import pandas_udf

    values = np.arange(400_000)

    @pandas_udf("long")
    def looked_up(i: pd.Series) -> pd.Series:
        return pd.Series(values[i * 7])

    contract.same_rows(lambda t: t.select(looked_up("id").alias("v")))


def test_modules_and_files_of_the_application(contract: Contract, tmp_path: Path) -> None:
    from pyspark.sql.functions import pandas_udf, udf

    context = contract.session.sparkContext
    (tmp_path / "a_module_of_the_test.py").write_text("def twice(x):\n    return x * 2\n")
    context.addPyFile(str(tmp_path / "a_module_of_the_test.py"))
    with zipfile.ZipFile(tmp_path / "a_zip_of_the_test.zip", "w") as archive:
        archive.writestr("a_package_of_the_test/__init__.py", "")
        archive.writestr("a_package_of_the_test/thrice.py", "def thrice(x):\n    return x * 3\n")
    context.addPyFile(str(tmp_path / "a_zip_of_the_test.zip"))
    (tmp_path / "a_file_of_the_test.txt").write_text("7")
    context.addFile(str(tmp_path / "a_file_of_the_test.txt"))
    with zipfile.ZipFile(tmp_path / "an_archive_of_the_test.zip", "w") as archive:
        archive.writestr("inside.txt", "11")
    context.addArchive(f"{tmp_path / 'an_archive_of_the_test.zip'}#unpacked")

    @pandas_udf("double")
    def computed(x: pd.Series) -> pd.Series:
        import a_module_of_the_test
        from a_package_of_the_test.thrice import thrice
        from pyspark import SparkFiles

        seven = int(Path(SparkFiles.get("a_file_of_the_test.txt")).read_text())
        eleven = int(Path(SparkFiles.getRootDirectory(), "unpacked", "inside.txt").read_text())
        return a_module_of_the_test.twice(x) + thrice(x) + seven + eleven

    @udf("double", useArrow=True)
    def by_row(x: float) -> float:
        import a_module_of_the_test

        return a_module_of_the_test.twice(x)

    contract.same_rows(lambda t: t.select(computed("x").alias("y")))
    contract.same_rows(lambda t: t.select(by_row("x").alias("y")))


def test_modules_of_the_current_directory(contract: Contract) -> None:
    from pyspark.sql.functions import udf

    module = Path.cwd() / "module_beside_the_driver_of_the_test.py"
    module.write_text("VALUE = 42\n")

    @udf("int", useArrow=True)
    def value(_k: int) -> int:
        import module_beside_the_driver_of_the_test

        return module_beside_the_driver_of_the_test.VALUE

    try:
        contract.same_rows(lambda t: t.select(value("k").alias("v")).distinct())
    finally:
        module.unlink()


def test_the_process(contract: Contract) -> None:
    """Variables, directory, thread, streams and limits of the worker."""
    from pyspark.sql.functions import udf

    @udf("string", useArrow=True)
    def of_the_process(_k: int) -> str:
        import resource
        import signal
        import sys
        import threading

        names = "PYTHONHASHSEED", "OMP_NUM_THREADS", "SPARK_REUSE_WORKER", "SPARK_LOCAL_DIRS"
        found = [os.environ.get(name) for name in names]
        found += [str(Path.cwd()), os.getenv("SPARK_PYTHON_RUNTIME"), sys.executable]
        found += [threading.current_thread() is threading.main_thread()]
        found += [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
        found += [resource.getrlimit(resource.RLIMIT_AS), sys.getrecursionlimit(), sys.argv]
        found += [os.getenv("PYTHONSAFEPATH"), "" in sys.path, sys.stdin.closed, sys.stdout.closed]
        return str(found)

    contract.same_rows(lambda t: t.select(of_the_process("k").alias("t")).distinct())


def test_each_row_once(contract: Contract, tmp_path: Path) -> None:
    from pyspark.sql import functions as f
    from pyspark.sql.functions import pandas_udf, udf

    calls = Calls(tmp_path / "calls")

    @pandas_udf("double")
    def half(x: pd.Series) -> pd.Series:
        calls.add(len(x))
        return x / 2

    @udf("long", useArrow=True)
    def plus(i: int) -> int:
        calls.add()
        return i + 1

    def group(rows):
        calls.add(len(rows))
        return rows[["id"]].sum().to_frame().T

    queries = {
        "scalar": lambda t: t.select(half("x").alias("y")),
        "pickled": lambda t: t.select(plus("id").alias("y")),
        "below an aggregate": lambda t: t.groupBy("k").agg(f.sum(half("x"))),
        "used twice": lambda t: t.select(half("x").alias("y")).selectExpr("y", "y + 1", "y * y"),
        "in a filter": lambda t: t.where(half("x") > 100).select("id"),
        "groups": lambda t: t.groupBy("k").applyInPandas(group, "id long"),
        "sorted": lambda t: t.select("id", half("x").alias("y")).orderBy("y"),
        "window": lambda t: t.select(half("x").alias("y"), f.expr("sum(id) over (order by id)")),
    }
    for name, query in queries.items():
        for enabled in (False, True) if is_nightly() else (True,):
            contract.rows(query, enabled=enabled)
            # a sort draws its sample in a job of its own
            assert sum(calls.taken()) == (2 * ROWS if name == "sorted" else ROWS), name


def test_a_limit_calls_no_more_than_spark(contract: Contract, tmp_path: Path) -> None:
    from pyspark.sql.functions import pandas_udf, udf

    calls = Calls(tmp_path / "calls")

    @pandas_udf("double")
    def half(x: pd.Series) -> pd.Series:
        calls.add(len(x))
        return x / 2

    @udf("long", useArrow=True)
    def plus(i: int) -> int:
        calls.add()
        return i + 1

    with settings(contract.session, spark__sql__execution__arrow__maxRecordsPerBatch="50"):
        for query in (
            lambda t: t.select(half("x").alias("y")).limit(10),
            lambda t: t.select(plus("id").alias("y")).limit(10),
            lambda t: t.where(half("x") > 10).limit(10).select("id"),
        ):
            counts = []
            for enabled in (False, True):
                with settings(contract.session, spark__broadhead__enabled=str(enabled).lower()):
                    assert len(query(contract.table).collect()) == 10
                counts.append(sum(calls.taken()))
            assert counts[1] <= counts[0], counts


def test_observed_and_cached_rows(contract: Contract, tmp_path: Path) -> None:
    from pyspark.sql import Observation
    from pyspark.sql import functions as f
    from pyspark.sql.functions import pandas_udf

    calls = Calls(tmp_path / "calls")

    @pandas_udf("double")
    def half(x: pd.Series) -> pd.Series:
        calls.add(len(x))
        return x / 2

    for enabled in ("false", "true") if is_nightly() else ("true",):
        with settings(contract.session, spark__broadhead__enabled=enabled):
            observation = Observation()
            rows = contract.table.select(half("x").alias("y"))
            sums = f.count(f.lit(1)).alias("n"), f.sum("y").alias("y")
            observed = rows.observe(observation, *sums)
            assert len(observed.collect()) == ROWS
            assert observation.get == {"n": ROWS, "y": sum(n / 8 for n in range(ROWS))}
            assert sum(calls.taken()) == ROWS
            cached = rows.cache()
            assert cached.count() == ROWS
            assert cached.where("y > 5").select(f.sum("y")).collect()[0][0] > 0
            assert sum(calls.taken()) == ROWS
            cached.unpersist(blocking=True)
