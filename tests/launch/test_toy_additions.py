"""A function and an operator added as docs/add-function.md and docs/add-operator.md say.

The blocks of the pages are all that is added to a copy of the sources, so a page that leaves out a
place, or names one that is no more, fails here. EveryNth.scala is Spark's side of the operator.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from launch.documented_additions import additions_of
from launch.programs import ROOT, SECONDS, Outcome

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
SCALA = ROOT / "jvm" / "src" / "main" / "scala"
FUNCTION = "python/broadhead/functions/angles.py"
"""A file of the engine that is the example of its page, and taken out of the copy."""
PAGES = ("add-function.md", "add-operator.md")

PROGRAM = """
import json, sys
import broadhead
from pyspark.sql import DataFrame, SparkSession

folder = sys.argv[1]
keys = {
    "spark.ui.enabled": "false",
    "spark.local.dir": f"{folder}/local",
    "spark.sql.extensions": "toy.ToyExtensions",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.broadhead.device": "cpu",
    "spark.broadhead.costModel.enabled": "false",
}
builder = SparkSession.builder.master("local[2]")
for key, value in keys.items():
    builder = builder.config(key, value)
spark = broadhead.configure(builder).getOrCreate()

# A lone first byte of two is no text, so `length` leaves its task to Spark.
spark.sql(
    "SELECT id, if(id = 500, CAST(X'C3' AS STRING), 'ab') AS s, -id AS unread "
    "FROM range(0, 1000, 1, 2)"
).write.parquet(f"{folder}/table")
table = spark.read.parquet(f"{folder}/table")

def every_nth(frame, n):
    return DataFrame(spark._jvm.toy.EveryNth.of(frame._jdf, n), spark)

def found(make):
    frame = make()
    rows = sorted(map(repr, frame.collect()))
    counts = [m.value() for m in metrics(frame._jdf.queryExecution().executedPlan())]
    explained = broadhead.explain(frame)
    spark.conf.set("spark.broadhead.enabled", "false")
    expected = sorted(map(repr, make().collect()))
    spark.conf.set("spark.broadhead.enabled", "true")
    return {
        "rows": len(rows),
        "right": rows == expected,
        "replays": sum(counts),
        "plan": str(frame._jdf.queryExecution().executedPlan()),
        "explained": str(explained),
    }

def metrics(plan):
    values = [plan.metrics().apply("replays")] if plan.metrics().contains("replays") else []
    children = plan.children()
    for number in range(children.size()):
        values += metrics(children.apply(number))
    return values

results = {
    "function": found(
        lambda: table.selectExpr("id % 10 AS k", "radians(id) AS angle").groupBy("k").max("angle")
    ),
    "operator": found(lambda: every_nth(table, 7).selectExpr("id").groupBy().sum("id")),
    "rows": found(lambda: every_nth(table, 7).selectExpr("id", "radians(id - 500) AS angle")),
    "replayed": found(lambda: every_nth(table, 7).selectExpr("id", "length(s) AS n")),
}
print("RESULT " + json.dumps(results))
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with what the pages add, of which Python has made its capabilities."""
    root = tmp_path_factory.mktemp("sources")
    ignored = shutil.ignore_patterns("__pycache__", "jars", "target", "dist", "test")
    for name in ("jvm", "python", "docs"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / FUNCTION).unlink()
    for page in PAGES:
        for addition in additions_of(DOCS / page):
            addition.add_to(root)
    run_python(root, "-m", "broadhead.capabilities")
    return root


@pytest.fixture(scope="module")
def compiled(sources: Path) -> Path:
    """The same with a jar."""
    toy = sources / SCALA.relative_to(ROOT) / "toy"
    toy.mkdir()
    shutil.copy(ROOT / "tests" / "launch" / "EveryNth.scala", toy)
    run_python(sources, "jvm/compile.py")
    return sources


def run_python(root: Path, *command: str) -> str:
    """What a program of the sources prints; it must end well."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "python")},
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


ENGINE = """
from broadhead.engine import run
from broadhead.functions.registry import functions
from broadhead.plan.row_nodes import EveryNth
print("ToRadians" in functions(), any(EveryNth in found for found in vars(run).values()
                                 if isinstance(found, dict)))
"""


def test_the_page_shows_the_function_of_the_engine() -> None:
    shown = [a for a in additions_of(DOCS / PAGES[0]) if a.path == FUNCTION]
    assert [addition.text for addition in shown] == [(ROOT / FUNCTION).read_text()]


def test_the_engine_has_the_toys(sources: Path) -> None:
    """What can be seen of them without a jar, whose compilation takes half a minute."""
    assert run_python(sources, "-c", ENGINE).split() == ["True", "True"]
    assert "ToRadians" in next(sources.rglob("capabilities.json")).read_text()


@pytest.mark.nightly
def test_the_toys_run_as_spark_runs_them(compiled: Path, tmp_path: Path) -> None:
    program = tmp_path / "toys.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(compiled / "python"), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    results = Outcome(done.returncode, done.stdout, done.stderr).result
    for name, result in results.items():
        assert result["right"], f"{name}: {result}"
        assert bool(result["replays"]) == (name == "replayed"), f"{name}: {result}"
        assert "not supported" not in result["explained"], result["explained"]
    for name in ("operator", "rows", "replayed"):
        assert "BroadheadEveryNth" in results[name]["plan"], results[name]["plan"]
    assert results["rows"]["rows"] == results["replayed"]["rows"] == 2 * -(-500 // 7)


def test_the_page_of_operators_has_them_all() -> None:
    """By the names that the cases of operators give themselves."""
    page = (DOCS / "operators.md").read_text()
    cases = re.compile(r'(?:override def name: String = |new AggregateCase\[\w+\]\()"(\w+)"')
    names = {name for path in SCALA.rglob("*.scala") for name in cases.findall(path.read_text())}
    missing = sorted(name for name in names if f"`{name}`" not in page)
    assert len(names) > 20
    assert not missing, f"docs/operators.md has no row for {missing}: docs/add-operator.md, 9"
