"""The tab in Spark's UI: of a running application, and in the history server by the event log."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

from broadhead.jar import jar_path
from broadhead.version import VERSION
from spark.cluster_programs import application
from ui import cluster_log
from ui.pages import Page, fetch, history_server

START = """
spark = start(
    "local[2]", spark__ui__enabled="true", spark__ui__port="0", spark__eventLog__enabled="true",
    spark__eventLog__dir=(folder / "log").as_uri(), spark__eventLog__rolling__enabled="false",
    spark__eventLog__compress="false")
spark.read.parquet(str(folder / "t.parquet")).createOrReplaceTempView("t")
from pyspark.sql.functions import udf

def described(text):
    spark.sparkContext.setJobDescription(text)

def reflected(column):
    call = f"reflect('java.lang.String', 'valueOf', {column})"
    spark.sql(f"SELECT {call} AS r, count(*) FROM t GROUP BY 1").collect()

described("all accelerated")
spark.sql("SELECT k, sum(v) FROM t GROUP BY k").collect()
described("<script>alert(1)</script> & more")
reflected("v")
described("the same reason")
reflected("k")
described("a function")
spark.table("t").select(udf(lambda x: x + 1, "long")("v")).collect()
described("by Spark's code")
spark.sql("SELECT max(xpath_string(concat('<a>', v, '</a>'), 'a')) FROM t").collect()
described("disabled")
spark.conf.set("spark.broadhead.enabled", "false")
spark.sql("SELECT sum(v) FROM t").collect()
spark.conf.set("spark.broadhead.enabled", "true")
described("failed")
with suppress(Exception):
    spark.sql("SELECT raise_error('no') FROM t").collect()
with suppress(Exception):
    spark.sql("SELECT missing FROM t").collect()
described("a command")
spark.sql("SET spark.sql.ansi.enabled")
spark._jsc.sc().listenerBus().waitUntilEmpty()
results = {"url": spark.sparkContext.uiWebUrl}
"""

LISTENERS = """
bus = spark._jsc.sc().listenerBus().listeners()
names = [listener.getClass().getSimpleName() for listener in bus]
results = {"own": [name for name in names if name in ("PlanEvents", "BroadheadStatusListener")]}
"""

XPATH = "function XPathStringEvaluator.evaluate is not supported"


@dataclass(frozen=True)
class Shown:
    """What the UI showed: the overview, and the operators of each query by its description."""

    overview: Page
    operators: dict[str, Page]
    html: str
    proxied: Page | None = None
    missing: str = ""
    listeners: dict[str, list[str]] | None = None
    cluster: Page | None = None

    def query(self, description: str) -> list[str]:
        (row,) = [row for row in self.overview.rows("Queries") if row[1] == description]
        return row


def show(address: str) -> Shown:
    html = fetch(f"{address}/broadhead/")
    overview = Page(html)
    operators = {
        row[1]: Page(fetch(f"{address}/broadhead/operators/?id={row[0]}"))
        for row in overview.rows("Queries")
    }
    return Shown(overview, operators, html)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ui")
    (path / "log").mkdir()
    pq.write_table(pa.table({"k": [1, 2, 3] * 100, "v": range(300)}), path / "t.parquet")
    return path


@pytest.fixture(scope="module")
def live(folder: Path) -> Shown:
    with application(folder) as run:
        found = run(START)
        address = "http://127.0.0.1:" + found["url"].rpartition(":")[2]
        shown = show(address)
        proxied = Page(fetch(f"{address}/broadhead/", X_Forwarded_Context="/behind"))
        missing = fetch(f"{address}/broadhead/operators/?id=%3Cb%3E1")
        listeners = {"with": run(LISTENERS)["own"]}
        for name, logs in (("log alone", "true"), ("without", "false")):
            other = f"spark__eventLog__dir={folder.as_uri()!r}, spark__eventLog__enabled='{logs}'"
            run(f"spark.stop(); spark = start('local[1]', {other}); results = {{}}")
            listeners[name] = run(LISTENERS)["own"]
    return replace(shown, proxied=proxied, missing=missing, listeners=listeners)


@pytest.fixture(scope="module")
def events(live: Shown, folder: Path) -> list[dict[str, Any]]:
    (log,) = [path for path in (folder / "log").iterdir() if path.is_file()]
    return [json.loads(line) for line in log.read_text().splitlines()]


def of_kind(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    name = f"org.apache.spark.sql.broadhead.application.{kind}"
    return [event for event in events if event["Event"] == name]


@pytest.fixture(scope="module")
def history(events: list[dict[str, Any]], folder: Path) -> Shown:
    """Its store is on disk, where Spark writes what it keeps as JSON."""
    store = folder / "store"
    store.mkdir()
    cluster_log.write(folder / "log")
    with history_server(folder / "log", store, jar_path(), applications=2) as server:
        found = {app["id"] for app in json.loads(fetch(f"{server}/api/v1/applications"))}
        (own,) = found - {cluster_log.APPLICATION}
        cluster = fetch(f"{server}/history/{cluster_log.APPLICATION}/broadhead/")
        return replace(show(f"{server}/history/{own}"), cluster=Page(cluster))


@pytest.fixture(params=["live", "history"])
def shown(request: pytest.FixtureRequest) -> Shown:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Shown)
    return found


def test_state_and_versions(shown: Shown) -> None:
    assert shown.overview.item("State") == "On"
    assert shown.overview.item("Device") == "CPU"
    versions = shown.overview.item("Versions")
    python = ".".join(map(str, sys.version_info[:3]))
    for name, version in (
        ("Broadhead", VERSION),
        ("Spark", pyspark.__version__),
        ("Python", python),
        ("pyarrow", pa.__version__),
    ):
        assert f"{name} {version}" in versions
    assert "cuDF" not in versions


def test_the_memory_of_workers_is_shown(shown: Shown) -> None:
    memory = shown.overview.item("Memory of workers in an executor")
    assert re.fullmatch(r"[\d.]+ GiB for 2 tasks at the same time", memory)


def test_queries_have_their_shares(shown: Shown) -> None:
    numbers = {row[1]: row[5] for row in shown.overview.rows("Queries")}
    assert numbers.keys() == {
        "all accelerated",
        "<script>alert(1)</script> & more",
        "the same reason",
        "a function",
        "by Spark's code",
        "disabled",
        "failed",
    }
    accelerated, total = numbers["all accelerated"].split(" of ")
    assert accelerated == total
    assert int(total) >= 4
    assert numbers["disabled"].startswith("0 of ")
    assert shown.query("all accelerated")[4] == "completed"
    assert shown.query("failed")[4] == "failed"


def test_queries_lead_to_their_plan_in_spark(shown: Shown) -> None:
    number = shown.query("all accelerated")[0]
    assert any(link.endswith(f"/SQL/execution/?id={number}") for link in shown.overview.links)


def test_links_go_through_a_proxy(live: Shown) -> None:
    assert live.proxied is not None
    number = live.query("all accelerated")[0]
    assert f"/behind/SQL/execution/?id={number}" in live.proxied.links
    assert f"/behind/broadhead/operators/?id={number}" in live.proxied.links


def test_reasons_are_counted(shown: Shown) -> None:
    reasons = {row[0]: row[1:] for row in shown.overview.rows("Why operators and expressions stay")}
    assert reasons["function reflect is not supported"][1].startswith("2 ")
    assert reasons["spark.broadhead.enabled is false"][1].startswith("1 ")


def test_operators_of_a_query_are_a_tree_with_reasons(shown: Shown) -> None:
    rows = shown.operators["<script>alert(1)</script> & more"].rows("")
    where = {row[1] for row in rows}
    assert where == {"Broadhead", "Spark"}
    for name, runs_in, why in rows:
        assert name.startswith("Broadhead") == (runs_in == "Broadhead")
        assert bool(why) == (runs_in == "Spark"), rows


def test_spark_code_in_fragments_is_told_apart(shown: Shown) -> None:
    """All operators of the query are Broadhead's, not all of its time."""
    row = shown.query("by Spark's code")
    accelerated, total = row[5].split(" of ")
    assert accelerated == total
    assert int(row[6].removesuffix(" %")) < 100
    reason = (
        "by Spark's code, in the fragment: function XPathStringEvaluator.evaluate is not supported"
    )
    assert row[7] == reason
    assert reason in {found[0] for found in shown.overview.rows("Why operators and expressions")}
    times = shown.operators["by Spark's code"].item("Tasks' time")
    pattern = r"\d+ % of [\d.]+ m?s in Broadhead; [\d.]+ m?s in Spark's code, which fragments .*"
    assert re.fullmatch(pattern, times), times
    assert " in Spark's code" in shown.overview.item("Tasks' time")
    runs_in = {row[1] for row in shown.operators["by Spark's code"].rows("")}
    assert runs_in == {"Broadhead", "Broadhead, with Spark's code"}
    assert shown.query("all accelerated")[6:] == ["100 %", ""]


def test_python_functions_are_explained(shown: Shown) -> None:
    text = [row[2] for row in shown.operators["a function"].rows("")]
    assert any("<lambda> is c" in cell for cell in text), text


def test_texts_of_users_are_escaped(shown: Shown) -> None:
    assert "<script>alert(1)</script>" not in shown.html
    assert not any("alert(1)" in script for script in shown.overview.scripts)


def test_settings_that_differ_are_listed(shown: Shown) -> None:
    settings = {(row[0], row[3]): row[1:3] for row in shown.overview.rows("Settings")}
    application = {key for key, scope in settings if scope == "the application"}
    assert application == {"spark.broadhead.device", "spark.broadhead.costModel.enabled"}
    assert settings["spark.broadhead.device", "the application"] == ["cpu", "auto"]
    assert settings["spark.broadhead.enabled", "1 query"] == ["false", "true"]


def test_unequal_executors_are_listed(history: Shown) -> None:
    assert history.cluster is not None
    page = history.cluster
    assert page.item("State") == f"Off {cluster_log.REASON}"
    assert page.item("Device") == "GPU (NVIDIA H200)"
    assert page.item("Versions").endswith("cuDF 26.10.00, NVIDIA driver 570.86.15")
    faulty, fit = page.rows("Executors")
    # The log of an executor of an earlier version does not have its memory.
    assert (faulty[0], faulty[6:]) == ("2 (beta)", ["", cluster_log.REASON])
    assert (fit[0], fit[5]) == ("1 (alpha, GPU-5f), 3 (alpha, GPU-6a)", "NVIDIA H200")
    memory = "2.0 GiB for 4 tasks at the same time; 3.0 GiB for 1 task at the same time"
    assert fit[6] == memory


def test_as_many_queries_are_kept_as_spark_keeps(history: Shown) -> None:
    assert history.cluster is not None
    assert "Queries (1000)" in history.cluster.tables
    newest = history.cluster.rows("Queries")
    assert len(newest) == 200
    assert newest[0][0] == str(cluster_log.QUERIES - 1)
    assert any(link.endswith("broadhead/?all") for link in history.cluster.links)


def test_keys_of_other_versions_are_listed(history: Shown) -> None:
    assert history.cluster is not None
    (row,) = history.cluster.rows("Settings")
    assert row == ["spark.broadhead.future.key", "1", "", "the application", ""]


def test_a_query_that_does_not_exist_is_named(live: Shown) -> None:
    assert "The UI has no plan of this query" in live.missing
    assert "<b>1" not in live.missing


def test_the_log_has_states(events: list[dict[str, Any]]) -> None:
    states = of_kind(events, "BroadheadStateEvent")
    assert [state["state"] for state in states] == ["starting", "on"]
    fields = {"state", "reason", "device", "deviceName", "version", "sparkVersion", "time"}
    assert fields <= states[1].keys()
    assert (states[1]["reason"], states[1]["device"]) == ("", "cpu")
    assert (states[1]["version"], states[1]["sparkVersion"]) == (VERSION, pyspark.__version__)
    assert states[0]["time"] <= states[1]["time"]


def test_the_log_has_the_memory_of_executors(events: list[dict[str, Any]]) -> None:
    (executor,) = of_kind(events, "BroadheadExecutorEvent")
    assert (executor["executor"], executor["tasks"]) == ("driver", 2)
    assert executor["memory"] > 0


def test_the_log_has_plans(events: list[dict[str, Any]]) -> None:
    plans = of_kind(events, "BroadheadPlanEvent")
    started = {
        event["executionId"]: event["description"]
        for event in events
        if event["Event"].endswith("SparkListenerSQLExecutionStart")
    }
    assert {started[plan["executionId"]] for plan in plans} > {"all accelerated", "failed"}
    for plan in plans:
        fields = {"executionId", "accelerated", "total", "reasons", "nodes", "time"}
        assert plan.keys() == fields | {"Event"}
        assert plan["total"] == len(plan["nodes"])
        assert plan["accelerated"] == sum(node["accelerated"] for node in plan["nodes"])
        assert set(plan["reasons"]) == {r for node in plan["nodes"] for r in node["reasons"]}
        assert plan["nodes"][0]["depth"] == 0
        for node in plan["nodes"]:
            assert node.keys() == {"depth", "name", "accelerated", "reasons", "functions"}


def test_equal_plans_are_logged_once(events: list[dict[str, Any]]) -> None:
    by_query: dict[int, list[object]] = {}
    for plan in of_kind(events, "BroadheadPlanEvent"):
        by_query.setdefault(plan["executionId"], []).append(plan["nodes"])
    for plans in by_query.values():
        assert all(left != right for left, right in pairwise(plans))


def test_nothing_listens_without_ui_and_log(live: Shown) -> None:
    assert live.listeners == {
        "with": ["PlanEvents", "BroadheadStatusListener"],
        "log alone": ["PlanEvents"],
        "without": [],
    }
