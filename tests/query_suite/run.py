"""Runs Spark's SQLQueryTestSuite with Broadhead, and compares with Spark's golden files.

python tests/query_suite/run.py                    the whole suite
python tests/query_suite/run.py math.sql array     the tests with such a text in their names

The suite stops a file at its first difference. So it writes its results, as it does to renew golden
files, and they are compared here, statement by statement. Each file starts with constants that stay
in the plan: else Spark would compute most statements before there is a plan.
`differences.json` has the statements that differ for a reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from broadhead.jar import jar_path
from query_suite.results import Result, read_results
from sql_runs import NO_FOLDING

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
JARS = ROOT / ".stamps" / "query-suite-jars"
"""Where `make test-query-suite` puts the jars of the pom."""
DIFFERENCES = HERE / "differences.json"
SUITE = "org.apache.spark.sql.SQLQueryTestSuite"
RESOURCES = Path("sql/core/src/test/resources")
"""Where Spark's repository has the resources of the suite."""
FIRST = f"SET spark.sql.optimizer.excludedRules={NO_FOLDING}"
PROVIDED = ("scala-library", "scala-reflect", "spark-sql")
LEFT_OUT = (
    *("charvarchar", "describe", "explain", "identifier", "keywords", "kll", "parse-", "scripting"),
    *("show", "sql-udf", "st-functions", "thetasketch", "to_from_avro", "transform", "udaf/"),
    *("udf/", "udtf/", "variant", "view-", "xml-"),
)
"""Beginnings of names: files that print plans or what a catalog has, or run users' functions."""
OPENED = (
    *(f"java.base/java.{name}" for name in ("io", "lang", "lang.invoke", "lang.reflect", "net")),
    *(f"java.base/java.{name}" for name in ("nio", "util", "util.concurrent")),
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    *(f"java.base/sun.{name}" for name in ("nio.ch", "nio.cs", "security.action")),
    "java.base/sun.util.calendar",
)
"""The packages that Spark's launcher opens, too."""
SETTINGS = {
    "spark.plugins": "io.broadhead.BroadheadPlugin",
    "spark.broadhead.costModel.enabled": "false",
    "spark.broadhead.device": "cpu",
    "spark.ui.enabled": "false",
    "spark.testing": "true",
}
LOGGING = """
rootLogger.level = error
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = suite.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def main(names: list[str]) -> int:
    """0 where all differences are those of `differences.json`, and nothing else ended the suite."""
    with tempfile.TemporaryDirectory(prefix="broadhead-query-suite-") as folder:
        home = Path(folder)
        golden = _prepare(home)
        written = _run(home, names)
        count, found = _differences(golden, written)
    return _report(count, found, whole=not names)


def _prepare(home: Path) -> Path:
    """A folder with Spark's test resources; gives their golden files, apart from it."""
    classes = home / "classes"
    (tests,) = JARS.glob("spark-sql_*-tests.jar")
    with zipfile.ZipFile(tests) as jar:
        jar.extractall(classes)
    (classes / "log4j2.properties").write_text(LOGGING, encoding="utf-8")
    resources = home / RESOURCES
    resources.mkdir(parents=True)
    for name in ("sql-tests", "test-data"):
        shutil.copytree(classes / name, resources / name)
    inputs = resources / "sql-tests/inputs"
    for path in inputs.rglob("*.sql"):
        name = str(path.relative_to(inputs)).removeprefix("nonansi/")
        if name.startswith(LEFT_OUT) or "/udf" in name or "command" in name:
            path.unlink()
            continue
        path.write_text(f"{FIRST};\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    shutil.rmtree(resources / "sql-tests/results")
    (resources / "sql-tests/results").mkdir()
    return classes / "sql-tests/results"


def _run(home: Path, names: list[str]) -> Path:
    """Runs the suite; gives the folder of the results that it writes."""
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    # PySpark has Scala's library.
    own = [jar for jar in JARS.glob("*.jar") if not jar.name.startswith(PROVIDED)]
    path = [home / "classes", *own, f"{jars}/*", jar_path()]
    command = ["java", "-Xmx3g", "-cp", ":".join(map(str, path))]
    command += [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
    command += [f"-D{key}={value}" for key, value in SETTINGS.items()]
    command += [f"-Dspark.test.home={home}", "-Djdk.reflect.useDirectMethodHandle=false"]
    command += ["org.scalatest.tools.Runner", "-R", str(home / "classes"), "-s", SUITE, "-oW"]
    command += [argument for name in names for argument in ("-z", name)]
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_TESTING": "1",
        "SPARK_GENERATE_GOLDEN_FILES": "1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    subprocess.run(command, cwd=home, env=environment, check=True)
    return home / RESOURCES / "sql-tests/results"


def _differences(golden: Path, written: Path) -> tuple[int, dict[str, list[tuple[Result, Result]]]]:
    """How many statements were run, and those of each file whose results differ."""
    count = 0
    found: dict[str, list[tuple[Result, Result]]] = {}
    for path in sorted(written.rglob("*.out")):
        name = str(path.relative_to(written))
        actual = [result for result in read_results(path) if result.statement != FIRST]
        expected = read_results(golden / name)
        if [a.statement for a in actual] != [e.statement for e in expected]:
            raise ValueError(f"{name} has results of other statements than its golden file")
        count += len(actual)
        pairs = zip(expected, actual, strict=True)
        found[name] = [(e, a) for e, a in pairs if not a.is_same(e)]
    return count, found


def _report(count: int, found: dict[str, list[tuple[Result, Result]]], *, whole: bool) -> int:
    """Prints what is not listed, and what is listed but does not differ; gives the exit status."""
    listed = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    unlisted = 0
    for name, pairs in found.items():
        known = set(listed.get(name, ()))
        for expected, actual in pairs:
            if expected.statement not in known:
                unlisted += 1
                print(f"\n{name}: {expected.statement}")
                print(f"  golden: {expected.schema}\n{expected.output}")
                print(f"  Broadhead: {actual.schema}\n{actual.output}")
        for statement in known - {expected.statement for expected, _ in pairs}:
            unlisted += 1
            print(f"\n{name}: listed in {DIFFERENCES.name}, but equal: {statement}")
    missing = sorted(listed.keys() - found.keys()) if whole else []
    print(f"{len(found)} files, {count} statements, {unlisted} not as expected", *missing, sep="\n")
    return int(bool(unlisted or missing or not count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
