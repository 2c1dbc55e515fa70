"""Settings of an application, and what its user's functions leave behind: as in plain Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spark.cluster_programs import ROOT, Run, application

# By day the contract is tested in the application that all tests share.
pytestmark = pytest.mark.nightly

SETTINGS = """
import pandas as pd
from pyspark.sql.functions import pandas_udf, udf
from python_functions.contract import Contract, settings
from sql_sessions import replayed

SECRET = "this is the users secret"
spark = start("local[2]", **{
    "spark.executor.pyspark.memory": "6g",
    "spark.executorEnv.MINE": "of the executor",
    "spark.io.encryption.enabled": "true",
    "spark.python.authenticate.socketTimeout": "17s",
    "spark.buffer.size": "32768",
} | OTHERS)
contract = Contract(folder / "contract", spark)
# Encrypted exchanges stay with Spark.
spark.conf.set("spark.broadhead.strict", "false")

def both(act):
    # What Spark and Broadhead give.
    return [act(False), act(True)]
"""

ENVIRONMENT = """
def variables(enabled):
    @udf("map<string,string>", useArrow=True)
    def the_environment(_k):
        return dict(os.environ)

    with settings(spark, spark__broadhead__enabled=str(enabled).lower()):
        rows = contract.table.coalesce(1).select(the_environment("k").alias("e")).limit(1)
        found = rows.collect()[0].e
    assert replayed(rows) == 0
    return found

before, found = both(variables)
names = ("MINE", "PYSPARK_EXECUTOR_MEMORY_MB", "SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE")
results["values"] = {name: found.get(name) for name in names}
results["others"] = sorted(
    name for name in before.keys() | found.keys() if before.get(name) != found.get(name))
"""

MEMORY = """
def the_zeros(count):
    import numpy as np

    @pandas_udf("double")
    def the_sum(x: pd.Series) -> pd.Series:
        return x + np.zeros(count).sum()

    return lambda t: t.select(the_sum("x"))

failure = contract.same_failure(the_zeros(5 * 10**9))
results["raised"] = [failure.name, failure.raised[-1].partition(":")[0].rpartition(".")[2]]
contract.same_rows(the_zeros(10**6))
"""

CRASH = """
def traceback_of(enabled):
    @pandas_udf("double")
    def the_crash(x: pd.Series) -> pd.Series:
        import ctypes

        ctypes.string_at(0)
        return x

    keys = {"spark__sql__execution__pyspark__udf__faulthandler__enabled": ENABLED,
            "spark__broadhead__enabled": str(enabled).lower()}
    with settings(spark, **keys):
        try:
            contract.table.coalesce(1).select(the_crash("x")).collect()
        except Exception as error:
            name = type(error).__name__
            text = str(error).split("Driver stacktrace")[0].split("\\tat org")[0]
    lines = text.splitlines()
    calls = [n for n, line in enumerate(lines) if line.strip().startswith("File ")]
    # The user's own calls and those of what it calls come first.
    own = [lines[n].rpartition(" in ")[2] for n in calls if "pyspark" not in lines[n]][:2]
    return name, lines[1].partition("SparkException: Python ")[2], own

spark_error, our_error = both(traceback_of)
results["same"] = spark_error == our_error
results["failure"] = our_error
results["rows"] = contract.table.count()
"""

BROADCAST = """
names = spark.sparkContext.broadcast({n: f"{SECRET} {n}" for n in range(7)})

@pandas_udf("string")
def named(k: pd.Series) -> pd.Series:
    return k.map(names.value)

def group(key, rows):
    return pd.DataFrame({"s": [names.value[key[0]]], "n": [len(rows)]})

results["rows"] = len(contract.same_rows(lambda t: t.select(named("k").alias("s"), "id")))
contract.same_rows(lambda t: t.groupBy("k").applyInPandas(group, "s string, n long"))
results["in clear"] = [
    path.name for path in (folder / "local").rglob("*")
    if path.is_file() and SECRET.encode() in path.read_bytes()]
names.destroy()
"""

PROFILE = """
def calls(enabled):
    @udf("long", useArrow=True)
    def the_row(i):
        return max(i, 3)

    profilers = spark.sparkContext.profiler_collector.profilers
    profilers.clear()
    contract.rows(lambda t: t.select(the_row("id")), enabled=enabled)
    found = [profiler.stats().stats for _, profiler, _ in profilers]
    return [counts[0] for stats in found for key, counts in stats.items() if key[2] == "the_row"]

results["calls"] = both(calls)
"""

PRINTS = """
KINDS = ("print", "error", "descriptor", "logger", "warning", "subprocess")

def printed(enabled):
    word = f"SAID BY {'OURS' if enabled else 'SPARK'}"

    @udf("long", useArrow=True)
    def the_speech(i):
        import logging, subprocess, warnings

        if i % 1000 == 0:
            print(f"[{word} print {i}]", flush=True)
            print(f"[{word} error {i}]", file=sys.stderr, flush=True)
            os.write(1, f"[{word} descriptor {i}]\\n".encode())
            logging.getLogger("mine").warning(f"[{word} logger {i}]")
            warnings.warn(f"[{word} warning {i}]")
            subprocess.run(["echo", f"[{word} subprocess {i}]"])
        return i

    contract.rows(lambda t: t.select(the_speech("id").alias("i")), enabled=enabled)
    # Threads of the JVM copy the lines.
    deadline = time.time() + 10
    while True:
        log = Path("/proc/self/fd/2").read_text(errors="replace")
        said = sorted(part.partition("]")[0] for part in log.split(f"[{word} ")[1:])
        if len(said) >= 3 * len(KINDS) or time.time() > deadline:
            return said
        time.sleep(0.1)

results["said"] = both(printed)
"""

CLOSED = """
@udf("boolean", useArrow=True)
def the_closing(i):
    sys.stdout.close()
    return sys.stdout.closed

contract.same_rows(lambda t: t.select(the_closing("id").alias("c")))
results["rows"] = contract.table.selectExpr("sum(id)").collect()[0][0]
"""

LEFT = """
import psutil

jvm = psutil.Process(spark._jvm.java.lang.ProcessHandle.current().pid())

def the_failing(x):
    raise ValueError("the user said so")

def the_half(x):
    return x / 2 if len(x) else x

def the_first(batches):
    yield next(batches)[["id"]]

def the_group(rows):
    return rows[["id"]]

for function in (the_failing, the_half):
    function.__annotations__.update({"x": pd.Series, "return": pd.Series})
failing, half = pandas_udf(the_failing, "double"), pandas_udf(the_half, "double")

def round_of_queries():
    t = contract.table
    t.select(half("x")).collect()
    t.mapInPandas(the_first, "id long").collect()
    t.groupBy("k").applyInPandas(the_group, "id long").count()
    t.select(half("x")).limit(3).collect()
    try:
        t.select(failing("x")).collect()
    except Exception:
        pass

def of_workers():
    # A worker's open files and its threads, as a function sees them.
    @udf("array<string>", useArrow=True)
    def the_state(_id):
        import threading

        kinds = [os.readlink(f"/proc/self/fd/{n}").partition(":")[0]
                 for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")]
        return sorted(kinds) + [thread.name for thread in threading.enumerate()]

    return len(contract.table.coalesce(1).select(the_state("id").alias("s")).first().s)

def threads():
    # These serve workers. Those that watch a task see only every two seconds whether it has ended.
    time.sleep(5)
    running = spark._jvm.java.lang.Thread.getAllStackTraces().keySet()
    return sum(any(word in thread.getName().lower() for word in ("broadhead", "python"))
               for thread in running)

def state():
    spark._jvm.java.lang.System.gc()
    return {
        "processes": len(jvm.children(recursive=True)),
        "files and sockets": jvm.num_fds(),
        "threads": threads(),
        "files and threads of a worker": of_workers(),
        "files in local directories": sum(
            path.is_file() for path in (folder / "local").rglob("broadhead-*")),
    }

for _ in range(3):
    round_of_queries()
before = state()
for _ in range(ROUNDS):
    round_of_queries()
results.update({"before": before, "after": state()})
"""

ROUNDS = 5

VARIANTS = {
    "defaults": {},
    "new workers": {
        "spark.python.profile": "true",
        "spark.python.worker.reuse": "false",
        "spark.python.unix.domain.socket.enabled": "true",
    },
    "no daemon": {"spark.python.use.daemon": "false"},
}


@pytest.fixture(scope="module", params=["defaults", "new workers", "no daemon"])
def variant(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def run(variant: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with application(tmp_path_factory.mktemp("own"), [ROOT / "tests"]) as ask:
        ask(f"OTHERS = {VARIANTS[variant]!r}\n{SETTINGS}")
        yield ask


def test_environment(run: Run) -> None:
    found = run(ENVIRONMENT)
    assert found["values"] == {
        "MINE": "of the executor",
        "PYSPARK_EXECUTOR_MEMORY_MB": "6144",
        "SPARK_AUTH_SOCKET_TIMEOUT": "17",
        "SPARK_BUFFER_SIZE": "32768",
    }
    # the package's jar is on the path of modules
    of_each_start = {"PYTHON_WORKER_FACTORY_SECRET", "PYTHON_WORKER_FACTORY_PORT"}
    assert set(found["others"]) <= {"PYTHONPATH", *of_each_start}


def test_a_memory_limit(run: Run) -> None:
    name, raised = run(MEMORY)["raised"]
    assert name == "PythonException"
    assert raised.endswith("MemoryError")


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_a_crash_in_native_code(run: Run, enabled: str) -> None:
    """`faulthandler.enabled` gives the user the functions in which it happened."""
    found = run(CRASH.replace("ENABLED", repr(enabled)))
    assert found["same"], found
    assert found["rows"] == 3000
    name, text, calls = found["failure"]
    assert name == "Py4JJavaError"
    assert "worker exited unexpectedly (crashed)" in text
    assert calls == (["string_at", "the_crash"] if enabled == "true" else [])


def test_encrypted_broadcast_variables(run: Run) -> None:
    assert run(BROADCAST) == {"rows": 3000, "in clear": []}


def test_printed_lines(run: Run) -> None:
    """They arrive where Spark's do: in the executor's log."""
    spark, ours = run(PRINTS)["said"]
    assert len(ours) == 18
    assert ours == spark


def test_a_closed_stdout(run: Run) -> None:
    assert run(CLOSED)["rows"] == sum(range(3000))


def test_the_applications_profiler(run: Run, variant: str) -> None:
    if "spark.python.profile" not in VARIANTS[variant]:
        pytest.skip("Spark collects profiles only where the application asks for them")
    spark, ours = run(PROFILE)["calls"]
    assert ours == spark == [3000]


def test_nothing_is_left(run: Run, variant: str) -> None:
    """Neither by queries that end, nor by those that stop early or fail."""
    found = run(f"ROUNDS = {ROUNDS}\n{LEFT}")
    before, after = found["before"], found["after"]
    assert after["files in local directories"] == 0
    grown = {name: (before[name], after[name]) for name in before}
    if variant == "no daemon":
        # Spark itself keeps a socket and a selector of each worker
        del grown["files and sockets"]
    # one more each round is a leak, one or two now and then are Spark's pools
    assert all(now < then + ROUNDS for then, now in grown.values()), grown
