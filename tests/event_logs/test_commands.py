"""The commands on logs that Spark has written, with the plugin and without."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from broadhead.cli.main import main
from launch.programs import ROOT

pytestmark = pytest.mark.xdist_group("event logs")

OURS = '{"Event":"org.apache.spark.sql.broadhead.'
REFLECT = "function reflect is not supported"
XPATH = "function XPathStringEvaluator.evaluate is not supported"


def broadhead(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result.output


def of_query(document, label: str):
    [application] = document["applications"]
    [found] = [query for query in application["queries"] if query["label"] == label]
    return application, found


def assert_self_contained(page: str) -> None:
    assert not re.search(r'(src|href)="|url\(|@import|<script|<link', page)


def test_report_tells_what_ran_where(logs, tmp_path) -> None:
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    text = broadhead("report", logs.path("accelerated"), "--html", str(page), "--json", str(data))
    assert REFLECT in text
    application, query = of_query(json.loads(data.read_text()), "sum by key")
    assert application["name"] == "accelerated"
    (memory,) = application["plugin"]["workers"]
    assert (memory["tasks"], memory["executors"]) == (2, 1)
    assert memory["memory"] > 0
    assert re.search(r"workers of an executor\s+have [\d.]+ GiB\s+for 2 tasks", text), text
    assert query["accelerated"] == query["total"] > 3
    assert query["targets"]["CPU"] > 0
    assert query["time_share"] == 1
    assert query["replays"] == 0
    assert {"BroadheadFileSourceScan", "BroadheadHashAggregate"} <= {
        operator["name"] for operator in query["operators"]
    }
    assert sum(query["targets"].values()) + query["bridge_ms"] <= query["task_ms"] * 1.001
    application, query = of_query(json.loads(data.read_text()), "reflected")
    assert query["accelerated"] < query["total"]
    assert query["reasons"][REFLECT] > 0
    assert {"reason", "ms", "queries"} == set(application["reasons"][0])
    assert_self_contained(page.read_text())
    assert REFLECT in page.read_text()


def test_report_tells_time_in_sparks_code_from_that_in_broadhead(logs, tmp_path) -> None:
    """All operators are Broadhead's, and Spark's code evaluates an expression of one of them."""
    data, page = tmp_path / "data.json", tmp_path / "page.html"
    broadhead("report", logs.path("accelerated"), "--json", str(data), "--html", str(page))
    _, query = of_query(json.loads(data.read_text()), "by code")
    assert query["accelerated"] == query["total"]
    code = query["targets"]["Spark's code"]
    assert 0 < code < query["task_ms"]
    assert query["time_share"] == pytest.approx(1 - code / query["task_ms"])
    reason = (
        "by Spark's code, in the fragment: function XPathStringEvaluator.evaluate is not supported"
    )
    assert query["reasons"] == {reason: pytest.approx(code)}
    assert {"Spark's code", "CPU"} <= {operator["target"] for operator in query["operators"]}
    html = page.read_text()
    assert "in Spark&#39;s code, for fragments" in html or "in Spark's code, for fragments" in html
    assert '<i class="code"' in html
    assert_self_contained(html)


def test_report_without_broadheads_events_takes_the_plans_text(logs, tmp_path) -> None:
    lines = (logs.folder / "accelerated").read_text().splitlines(keepends=True)
    old = tmp_path / "old"
    old.write_text("".join(line for line in lines if not line.startswith(OURS)))
    data = tmp_path / "data.json"
    broadhead("report", str(old), "--json", str(data))
    _, query = of_query(json.loads(data.read_text()), "reflected")
    assert query["reasons"][REFLECT] > 0


def test_compare_pairs_the_queries_of_two_logs(logs, tmp_path) -> None:
    data, page = tmp_path / "data.json", tmp_path / "page.html"
    arguments = ("--compare", logs.path("plain"), logs.path("accelerated"))
    broadhead("report", *arguments, "--json", str(data), "--html", str(page))
    comparison = json.loads(data.read_text())["comparison"]
    pairs = {pair["label"]: pair for pair in comparison["pairs"]}
    assert {"sum by key", "reflected"} <= set(pairs)
    pair = pairs["sum by key"]
    assert pair["ratio"] == pytest.approx(pair["first_ms"] / pair["second_ms"])
    assert "0 % to 100 % of the time in Broadhead" in pair["changes"]
    assert_self_contained(page.read_text())


@pytest.mark.parametrize("name", ["plain", "zstd.zstd"])
def test_qualify_judges_the_queries_of_plain_spark(logs, tmp_path, name) -> None:
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    text = broadhead("qualify", logs.path(name), "--html", str(page), "--json", str(data))
    assert REFLECT in text
    assert "spark.plugins" in text
    _, query = of_query(json.loads(data.read_text()), "sum by key")
    assert all(operator["runs"] for operator in query["operators"])
    speedup = query["speedup"]
    assert speedup["low"] < speedup["expected"] < speedup["high"]
    _, query = of_query(json.loads(data.read_text()), "reflected")
    reasons = [reason for operator in query["operators"] for reason in operator["reasons"]]
    assert REFLECT in reasons
    assert_self_contained(page.read_text())


def test_qualify_refuses_a_log_with_broadhead(logs) -> None:
    text = broadhead("qualify", logs.path("accelerated"), status=1)
    assert "ran with Broadhead: use broadhead report" in text


def test_a_named_file_that_is_no_log_is_an_error_and_in_a_folder_it_is_passed_over(
    logs, tmp_path
) -> None:
    (tmp_path / "notes").write_text("nothing\n")
    (tmp_path / "app").write_bytes((logs.folder / "plain").read_bytes())
    text = broadhead("report", str(tmp_path))
    assert "passed over" in text
    assert "notes, line 1" in text
    assert "line 1 is not" in broadhead("report", str(tmp_path / "notes"), status=1)


@pytest.mark.nightly
def test_remote_logs_are_read_by_sparks_file_systems(logs, tmp_path) -> None:
    """A view file system of Hadoop, which exists only in the configuration given."""
    data = tmp_path / "data.json"
    settings = [
        "spark.hadoop.fs.defaultFS=viewfs://c/",
        f"spark.hadoop.fs.viewfs.mounttable.c.link./logs=file://{logs.folder}",
    ]
    conf = [word for setting in settings for word in ("--conf", setting)]
    broadhead("qualify", "viewfs://c/logs/zstd.zstd", *conf, "--json", str(data))
    _, query = of_query(json.loads(data.read_text()), "sum by key")
    assert all(operator["runs"] for operator in query["operators"])
    text = broadhead("qualify", "viewfs://c/logs/nowhere", *conf, status=1)
    assert "Spark cannot read viewfs://c/logs/nowhere" in text


def test_the_operators_are_those_of_the_planner() -> None:
    from broadhead.event_logs.support import OPERATORS

    scala = ROOT / "jvm/src/main/scala/org/apache/spark/sql/broadhead/planning"
    cases = (scala / "OperatorCases.scala").read_text()
    matched = set(re.findall(r"case \w+: (\w+)Exec\b", cases))
    renamed = {"ShuffleExchange": "Exchange"} | dict.fromkeys(
        ("BatchScan", "FileSourceScan", "RDDScan"), "Scan"
    )
    shared_class = {"MapInBatch"}  # of two operators, which their cases name
    named = set(re.findall(r'new \w+Case\("(\w+)"\)', cases))
    version_specific = {"ArrowAggregatePython", "ArrowWindowPython"}
    operators = {renamed.get(name, name) for name in matched - shared_class}
    assert operators | named | version_specific == OPERATORS
