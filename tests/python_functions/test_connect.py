"""Python functions of Spark Connect clients: their artifacts, profiles and interrupts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import broadhead
from local_session import local_session
from spark.cluster_programs import Run, application
from sql_sessions import configured

START = """
import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf

os.environ["SPARK_TESTING"] = "1"
builder = SparkSession.builder.remote("local[2]")
for key, value in (KEYS | {"spark.local.dir": str(folder / "local")}).items():
    builder = builder.config(key, value)
spark = broadhead.configure(builder).getOrCreate()
path = str(folder / "t")
columns = "id", "cast(id % 7 as int) k", "id / 4d x"
spark.range(0, 3000, 1, 3).selectExpr(*columns).write.parquet(path)

def table():
    return spark.read.parquet(path)

def both(act):
    # What Spark and Broadhead give.
    found = []
    for enabled in ("false", "true"):
        spark.conf.set("spark.broadhead.enabled", enabled)
        found.append(act())
    return found

@pandas_udf("double")
def half(x: pd.Series) -> pd.Series:
    return x.map(lambda value: value / 2)
"""

PROFILE = """
frame = table().where("id > 5").groupBy("k").agg(F.sum(half("x")).alias("s"))
names = [each.name for each in spark.catalog.listTables()]
results["operators"] = [
    [o.depth, o.name, o.accelerated, o.calls, o.metrics.get("numOutputRows")]
    for o in broadhead.profile(frame).operators
]
same_names = table().select("id", "id", half("x"))
results["same names"] = broadhead.profile(same_names).operators[0].cells[2]
results["left"] = [each.name for each in spark.catalog.listTables()] == names
"""

WRONG = """
def error_of(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__, str(error)

@pandas_udf("double")
def the_failing(x: pd.Series) -> pd.Series:
    raise ValueError("the user said so")

results["failing"] = error_of(lambda: broadhead.profile(table().select(the_failing("x"))))
function = "SELECT * FROM broadhead_profile"
results["no name"] = error_of(lambda: spark.sql(f"{function}(3)").collect())
results["no table"] = error_of(lambda: spark.sql(f"{function}('t')").collect())
"""

ARTIFACTS = """
import zipfile

(folder / "module_of_a_client.py").write_text("def twice(x):\\n    return x * 2\\n")
(folder / "file_of_a_client.txt").write_text("7")
with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
    archive.writestr("inside.txt", "11")
spark.addArtifact(str(folder / "module_of_a_client.py"), pyfile=True)
spark.addArtifact(str(folder / "file_of_a_client.txt"), file=True)
spark.addArtifact(f"{folder / 'archive.zip'}#unpacked", archive=True)

@pandas_udf("double")
def computed(x: pd.Series) -> pd.Series:
    import module_of_a_client
    from pyspark import SparkFiles

    seven = int(Path(SparkFiles.get("file_of_a_client.txt")).read_text())
    eleven = int(Path(SparkFiles.getRootDirectory(), "unpacked", "inside.txt").read_text())
    return module_of_a_client.twice(x) + seven + eleven

frame = lambda: table().select(computed("x"))
expected, found = both(lambda: rows(frame()))
results["rows"] = len(found)
results["same"] = expected == found
explained = broadhead.explain(frame())
results["in Spark"] = [node.name for node in explained.nodes if not node.accelerated]
"""

PROFILER = """
def calls():
    spark.profile.clear()
    spark.conf.set("spark.sql.pyspark.udf.profiler", "perf")
    try:
        table().select(half("x")).collect()
    finally:
        spark.conf.unset("spark.sql.pyspark.udf.profiler")
    (stats,) = spark.profile.profiler_collector._perf_profile_results.values()
    return sorted([key[2], counts[0]] for key, counts in stats.stats.items()
                  if key[2] in ("half", "<lambda>"))

results["calls"] = both(calls)
"""

INTERRUPT = """
import threading

started = folder / "started"

def the_hanging(x):
    started.touch()
    while True:
        time.sleep(0.1)

def interrupted():
    started.unlink(missing_ok=True)
    raised = []

    def run():
        try:
            table().select(pandas_udf(the_hanging, "double")("x")).collect()
        except Exception as error:
            raised.append(str(error).split("SQLSTATE")[0])

    thread = threading.Thread(target=run)
    thread.start()
    while not started.exists():
        time.sleep(0.02)
    spark.interruptAll()
    thread.join()
    return raised, table().selectExpr("sum(id)").collect()[0][0]

the_hanging.__annotations__.update({"x": pd.Series, "return": pd.Series})
results["found"] = both(interrupted)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("connect")


@pytest.fixture(scope="module")
def run(folder: Path) -> Iterator[Run]:
    with application(folder) as ask:
        ask(START)
        yield ask


@pytest.mark.nightly  # by day test_launchers.py profiles a query on its server
def test_profile_is_that_of_the_server(run: Run, folder: Path) -> None:
    """Rows, calls and operators are those of a session in this process; no view is left."""
    found = run(PROFILE)
    assert found["operators"] == classic_profile(folder / "t")
    assert found["same names"] == "3,000"
    assert found["left"]


def classic_profile(path: Path) -> list[Any]:
    from pyspark.sql import functions as f
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def half(x: pd.Series) -> pd.Series:
        return x.map(lambda value: value / 2)

    session = local_session()
    keys = {"spark.broadhead.costModel.enabled": "false", "spark.sql.shuffle.partitions": "3"}
    with configured(session, keys):
        rows = session.read.parquet(str(path)).where("id > 5")
        profile = broadhead.profile(rows.groupBy("k").agg(f.sum(half("x")).alias("s")))
    return [
        [o.depth, o.name, o.accelerated, [*o.calls], o.metrics.get("numOutputRows")]
        for o in profile.operators
    ]


@pytest.mark.nightly  # by day test_launchers.py profiles a query on its server
def test_errors_of_a_profile(run: Run) -> None:
    found = run(WRONG)
    name, text = found["failing"]
    assert name == "PythonException"
    assert "ValueError: the user said so" in text
    assert "takes the name of a table or view as a string, not (3)" in found["no name"][1]
    assert "TABLE_OR_VIEW_NOT_FOUND" in found["no table"][1]


@pytest.mark.nightly  # by day test_environment.py has the application's files
def test_artifacts_of_the_session(run: Run) -> None:
    assert run(ARTIFACTS) == {"rows": 3000, "same": True, "in Spark": []}


@pytest.mark.nightly  # by day test_profilers.py has a session in this process
def test_sparks_profiler(run: Run) -> None:
    spark, ours = run(PROFILER)["calls"]
    assert ours == spark
    assert ["<lambda>", 3000] in ours


@pytest.mark.nightly  # by day test_processes.py cancels jobs
def test_interrupts(run: Run) -> None:
    spark, ours = run(INTERRUPT)["found"]
    assert ours == spark
    assert len(ours[0]) == 1
    assert "OPERATION_CANCELED" in ours[0][0]
    assert ours[1] == sum(range(3000))
