"""The demonstration's table, page and JSON."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from broadhead.demo import report
from broadhead.demo.measure import Outcome, total_ratio
from broadhead.demo.queries import NOTE, load_query

SETTING = report.Setting(1.0, 2, 3, {"Spark": "4.1.4", "Broadhead": "0.1.0"})


@pytest.fixture
def outcomes():
    return [
        Outcome(load_query(1), [4.0, 3.0], [1.0, 0.5], None, 6, 7, ["Sort <is> not yet"]),
        Outcome(load_query(6), [1.0], [1.0], "1 rows instead of 2", 4, 4, []),
        Outcome(load_query(9), [], [], "failed: boom", 0, 0, ["failed: boom"]),
    ]


def test_json(outcomes):
    document = json.loads(report.as_json(outcomes))
    assert set(document) == {"queries", "total_ratio"}
    assert document["queries"][0] == {
        "query": 1,
        "spark_s": 3.0,
        "broadhead_s": 0.5,
        "ratio": 6.0,
        "equal": True,
        "accelerated": 6,
        "total": 7,
        "reasons": ["Sort <is> not yet"],
    }
    assert [query["equal"] for query in document["queries"]] == [True, False, False]
    assert document["total_ratio"] == pytest.approx(4.0 / 1.5, abs=1e-3)


def test_total_of_nothing():
    assert total_ratio([]) == 0.0
    assert json.loads(report.as_json([])) == {"queries": [], "total_ratio": 0.0}


def test_page_is_self_contained_and_escaped(outcomes, tmp_path):
    path = tmp_path / "folder" / "demo.html"
    report.write_html(path, outcomes, SETTING)
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=|url\(|@import|https?://""", page)
    assert "Sort &lt;is&gt; not yet" in page
    assert NOTE in page
    assert page.count('class="spark"') == 3
    assert "6.00x" in page
    assert "1 rows instead of 2" in page


def test_page_without_any_time(tmp_path):
    report.write_html(tmp_path / "demo.html", [Outcome(load_query(9))], SETTING)
    assert (tmp_path / "demo.html").stat().st_size > 1000


def test_table(outcomes):
    output = io.StringIO()
    console = Console(width=140, file=output)
    console.print(report.table(outcomes))
    text = output.getvalue()
    assert "Sort <is> not yet" in text
    assert "DIFFERS: 1 rows instead of 2" in text
    assert "not comparable to published" in " ".join(text.split())
