"""`%broadhead` and `%%broadhead` in a shell of IPython, with a session of this process."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from IPython.utils.capture import RichOutput, capture_output
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from traitlets.config import Config

from broadhead.explanation import Explanation
from broadhead.notebook import cell_watch, progress
from broadhead.notebook.cell_queries import CellQueries
from broadhead.profiling import QueryProfile
from local_session import local_session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    session = local_session()
    path = str(tmp_path_factory.mktemp("rows") / "rows")
    session.range(0, 1000, 1, 2).selectExpr("id", "id % 7 AS k").write.parquet(path)
    session.read.parquet(path).createOrReplaceTempView("notebook_rows")
    return session


@pytest.fixture(scope="module")
def shell(
    session: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[InteractiveShell]:
    main = sys.modules["__main__"]
    config = Config(HistoryManager={"hist_file": ":memory:"})
    config.InteractiveShell.ipython_dir = str(tmp_path_factory.mktemp("ipython"))
    shell = InteractiveShell.instance(config=config)
    try:
        assert shell.run_cell("%load_ext broadhead").success
        shell.push({"spark": session, "rows": session.table("notebook_rows")})
        yield shell
    finally:
        InteractiveShell.clear_instance()
        sys.modules["__main__"] = main


def run(shell: InteractiveShell, cell: str) -> tuple[ExecutionResult, list[RichOutput], str]:
    """The result of a cell, what it displays, and what it prints."""
    with capture_output() as captured:
        result = shell.run_cell(cell)
    return result, captured.outputs, captured.stdout


def report(shell: InteractiveShell, cell: str) -> tuple[ExecutionResult, RichOutput]:
    result, outputs, _ = run(shell, f"%%broadhead\n{cell}")
    return result, outputs[-1]


def test_a_cell_shows_what_ran(shell: InteractiveShell) -> None:
    result, shown = report(shell, 'rows.groupBy("k").count().collect(); rows.count()')
    assert result.success
    text, html = shown.data["text/plain"], shown.data["text/html"]
    assert text.startswith("Broadhead: 2 queries, ")
    lines = {line.split()[0].rstrip(","): line.split() for line in text.splitlines() if line}
    assert lines["collect"][-3:-2] == lines["collect"][-1:], "all operators accelerated"
    assert lines["BroadheadFileSourceScan"][1:3] == ["Broadhead", "2,000"]
    assert "<code>BroadheadFileSourceScan</code>" in html
    assert html.count("<details") == 2


def test_reasons_of_operators_in_spark(shell: InteractiveShell) -> None:
    _, shown = report(shell, 'rows.selectExpr("k", "shuffle(array(k))").collect()')
    for kind in ("text/plain", "text/html"):
        assert "function shuffle is not supported" in shown.data[kind]


def test_spark_code_in_fragments_is_told_apart(shell: InteractiveShell) -> None:
    call = "max(xpath_string(concat('<a>', k, '</a>'), 'a'))"
    conf = "rows.sparkSession.conf"
    key = "'spark.broadhead.costModel.enabled'"
    cell = f'{conf}.set({key}, "false"); rows.selectExpr("{call}").collect(); {conf}.unset({key})'
    _, shown = report(shell, cell)
    text, html = shown.data["text/plain"], shown.data["text/html"]
    assert re.search(r"accelerated, [\d.]+ s of their tasks in Spark's code", text), text
    assert "by Spark's code: function XPathStringEvaluator.evaluate is" in text
    assert "</span>, with Spark&#39;s code" in html


def test_a_cell_that_raises_shows_what_ran(shell: InteractiveShell) -> None:
    result, shown = report(shell, "rows.count()\n1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert shown.data["text/plain"].startswith("Broadhead: 1 query, ")
    trace = result.error_in_exec.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    assert trace
    assert trace.tb_lineno == 3, "the line in the cell, with its magic"


def test_a_query_that_raises_is_shown_with_its_error(shell: InteractiveShell) -> None:
    result, shown = report(shell, "rows.selectExpr(\"raise_error('<b>no</b>')\").collect()")
    assert result.error_in_exec is not None
    assert "<b>no</b>" in shown.data["text/plain"]
    assert "&lt;b&gt;no&lt;/b&gt;" in shown.data["text/html"]
    assert "<b>no</b>" not in shown.data["text/html"]


def test_the_slowest_of_many_queries_are_described(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_watch, "_DESCRIBED", 2)
    _, shown = report(shell, "for n in range(5):\n    spark.range(n).collect()")
    text, html = shown.data["text/plain"], shown.data["text/html"]
    assert text.startswith("Broadhead: 5 queries, ")
    assert "and 3 shorter queries, " in text
    assert html.count("<details") == 2


def test_queries_of_other_threads_count(shell: InteractiveShell) -> None:
    _, shown = report(
        shell,
        "import threading\n"
        "threads = [threading.Thread(target=rows.count) for _ in range(2)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()",
    )
    assert shown.data["text/plain"].startswith("Broadhead: 2 queries, ")


def test_the_code_runs_as_in_a_cell(shell: InteractiveShell) -> None:
    _, outputs, printed = run(
        shell, "%%broadhead\nfrom math import tau\nfound = !echo own\nfound[0]"
    )
    assert "'own'" in printed
    assert shell.user_ns["tau"] > 6
    assert outputs[-1].data["text/plain"] == "Broadhead: no query of Spark ran in this cell"
    _, _, printed = run(shell, "%%broadhead\n'quiet';")
    assert "quiet" not in printed


@pytest.mark.parametrize(
    "query",
    [
        "rows.groupBy('k').count()",
        "SELECT k, count(*) FROM notebook_rows GROUP BY k",
        "'SELECT k, count(*) FROM notebook_rows GROUP BY k'",
    ],
)
def test_explain(shell: InteractiveShell, query: str) -> None:
    explained = run(shell, f"%broadhead explain {query}")[0].result
    assert isinstance(explained, Explanation)
    assert explained.accelerated == explained.total == 4
    html = explained._repr_html_()
    assert html.count("<tr>") == 1 + explained.total


def test_profile_of_a_cell_in_sql(shell: InteractiveShell) -> None:
    profile = run(shell, "%%broadhead profile\nSELECT k,\n  id\nFROM notebook_rows")[0].result
    assert isinstance(profile, QueryProfile)
    assert profile.operators[-1].metrics["numOutputRows"] == 1000
    assert "1,000" in profile._repr_html_()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "takes `explain` or `profile`"),
        ("explain", "takes `explain` or `profile`"),
        ("describe rows", "takes `explain` or `profile`"),
        ("explain nothing_of_this_name", "name 'nothing_of_this_name' is not defined"),
        ("explain 1 + 1", "1 + 1 is a int; give a DataFrame or a query in SQL"),
    ],
)
def test_wrong_usage_is_one_sentence(shell: InteractiveShell, line: str, message: str) -> None:
    with capture_output() as captured:
        assert not shell.run_cell(f"%broadhead {line}").success
    assert message in captured.stderr
    assert "Traceback" not in captured.stdout + captured.stderr


def test_progress_is_shown_while_a_query_runs_and_then_removed(
    shell: InteractiveShell,
    session: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = str(tmp_path / "gate")

    def waits(number: int) -> int:
        ends = time.monotonic() + 60
        while not Path(gate).exists() and time.monotonic() < ends:
            time.sleep(0.05)
        return number

    updates: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            updates.append(data["text/html"])
            # Spark tells of the tasks some time after it has started them
            if "0 of 2 tasks, 2 running in 1 stage" in updates[-1]:
                Path(gate).touch()

    def display(data: dict[str, str], **_: object) -> Handle:
        updates.append(data["text/html"])
        return Handle()

    monkeypatch.setattr(progress, "display", display)
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0)
    monkeypatch.setattr(shell, "kernel", SimpleNamespace(), raising=False)
    shell.user_ns["slow"] = session.range(0, 2, 1, 2).select(udf(waits, "long")("id"))
    _, shown = report(shell, "slow.collect()")
    assert shown.data["text/plain"].startswith("Broadhead: 1 query, ")
    assert Path(gate).exists(), updates
    assert updates[-1] == ""


def test_the_extension_can_be_unloaded(shell: InteractiveShell) -> None:
    assert run(shell, "%unload_ext broadhead")[0].success
    try:
        assert "broadhead" not in shell.magics_manager.magics["line"]
        assert "broadhead" not in shell.magics_manager.magics["cell"]
    finally:
        run(shell, "%load_ext broadhead")


def test_an_empty_report() -> None:
    found = CellQueries(())
    assert str(found) == "Broadhead: no query of Spark ran in this cell"
    assert "<table" not in found._repr_html_()
