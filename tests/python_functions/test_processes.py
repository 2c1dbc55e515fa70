"""User code that starts processes and threads, and that hangs until its job is cancelled."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

from python_functions.contract import ROWS, Contract, settings
from sql_runs import is_nightly


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    from pyspark.cloudpickle import register_pickle_by_value

    register_pickle_by_value(sys.modules[__name__])
    return Contract(tmp_path_factory.mktemp("processes"))


def forks(_row: int) -> str:
    """Forks, and reads what the child writes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"from the child")
        os._exit(7)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    return f"{text} {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"


def runs_a_command(_row: int) -> str:
    """Runs a program."""
    command = [sys.executable, "-c", "print('said'); raise SystemExit(4)"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{found.stdout}{found.returncode}"


def starts_threads(_row: int) -> str:
    """Starts a thread that ends, and two that outlive the query."""
    found: list[int] = []
    thread = threading.Thread(target=found.append, args=(1,))
    thread.start()
    thread.join()
    for daemon in (True, False):
        threading.Thread(target=time.sleep, args=(1.5,), daemon=daemon).start()
    return str(found)


def forks_a_pool(row: int) -> str:
    """Computes in processes that are forks."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return str(pool.map(abs, [-1, -row]))


def spawns_a_pool(row: int) -> str:
    """Computes in a process that is a new interpreter."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return str([*pool.map(abs, [-1, -row])])


@pytest.mark.parametrize(
    "act",
    [
        forks,
        *(
            pytest.param(act, marks=pytest.mark.nightly)
            for act in (starts_threads, runs_a_command, forks_a_pool, spawns_a_pool)
        ),
    ],
)
def test_processes_and_threads(contract: Contract, act: Callable[[int], str]) -> None:
    from pyspark.sql.functions import udf

    @udf("string", useArrow=True)
    def acting(row: int) -> str:
        return act(row) if row % 1000 == 0 else ""

    assert len(contract.same_rows(lambda t: t.select(acting("id")).distinct())) > 1
    # workers are used again, with what is left in them
    contract.same_rows(lambda t: t.select(acting("id")).distinct())


def sleeps() -> None:
    """Waits where signals interrupt it."""
    time.sleep(0.1)


def ignores_signals() -> None:
    """Does not end when it is asked to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        time.sleep(0.1)
    except BaseException:
        return


def computes() -> None:
    """Uses its processor."""


@pytest.mark.parametrize(
    "act",
    [
        sleeps,
        *(pytest.param(act, marks=pytest.mark.nightly) for act in (ignores_signals, computes)),
    ],
)
def test_a_function_that_hangs(contract: Contract, tmp_path: Path, act: Callable[[], None]) -> None:
    """A cancelled job ends at once, then Spark kills its workers, and others take their place."""
    from pyspark.sql.functions import pandas_udf

    started = tmp_path / "started"

    @pandas_udf("double")
    def hanging(x: pd.Series) -> pd.Series:
        started.with_name(f"started-{os.getpid()}").touch()
        while True:
            act()
        return x

    errors = []
    for enabled in ("false", "true") if is_nightly() else ("true",):
        with settings(contract.session, spark__broadhead__enabled=enabled):
            frame = contract.table.select(hanging("x"))
            errors.append(cancelled(contract, frame, tmp_path))
            assert contract.table.selectExpr("sum(id)").first()[0] == sum(range(ROWS))
        for mark in tmp_path.glob("started-*"):
            assert gone(int(mark.name.partition("-")[2])), "its worker still runs"
            mark.unlink()
    assert all(found == ["SPARK_JOB_CANCELLED"] for found in errors), errors


def cancelled(contract: Contract, frame: Any, marks: Path) -> list[str]:
    """The conditions of the errors of a query whose job group is cancelled when it hangs."""
    from pyspark import InheritableThread

    context = contract.session.sparkContext
    errors: list[str] = []

    def collect() -> None:
        context.setJobGroup("hanging", "a query that hangs", interruptOnCancel=True)
        try:
            frame.collect()
        except Exception as error:
            errors.append(str(error).partition("SparkException: [")[2].partition("]")[0])

    thread = InheritableThread(target=collect)
    thread.start()
    while not [*marks.glob("started-*")]:
        time.sleep(0.02)
    context.cancelJobGroup("hanging")
    thread.join()
    return errors


def gone(worker: int) -> bool:
    """Whether a process ends within a minute, though it hangs."""
    try:
        psutil.Process(worker).wait(60)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True
