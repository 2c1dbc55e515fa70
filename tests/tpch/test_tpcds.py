"""benchmarks/tpcds: names and orders of the queries, jars that are checked, and a tiny run."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from broadhead.demo.data import DataError

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def tpcds():
    sys.path.append(str(BENCHMARKS))
    try:
        for name in ("maven", "queries"):
            importlib.import_module(f"tpcds.{name}")
        return importlib.import_module("tpcds")
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_the_103_texts_have_the_names_of_sparks_files(tpcds) -> None:
    assert len(tpcds.queries.NAMES) == 103
    parse = tpcds.queries.parse_names
    assert parse("1-99") == tpcds.queries.NAMES
    assert parse("72, q14b,3") == ("q72", "q14b", "q3")
    assert parse("13-15,14") == ("q13", "q14a", "q14b", "q15")


@pytest.mark.parametrize("text", ["100", "3a", "q", "", "x-5"])
def test_a_query_that_is_not_there_is_named(tpcds, text) -> None:
    with pytest.raises(ValueError, match=f"'{text}'" if text else "no query chosen"):
        tpcds.queries.parse_names(text)


@pytest.mark.parametrize(
    ("text", "columns", "keys", "limit"),
    [
        (
            "ORDER BY dt.d_year, total DESC NULLS LAST LIMIT 100",
            "d_year total",
            "d_year total",
            100,
        ),
        ("order by 2, 1\nlimit 5\n", "a b", "b a", 5),
        ("ORDER BY substr(s, 1, 30), b", "substr(s,1,30) b", "substr(s,1,30) b", None),
        ("ORDER BY a, b - c, b LIMIT 100", "a b c", "a", None),
        ("ORDER BY x.a, y.n LIMIT 100", "a n n", "a", None),
        ("FROM (SELECT a FROM t ORDER BY a LIMIT 3) LIMIT 7", "a", "", 7),
        ("WHERE a > 3", "a", "", None),
    ],
)
def test_the_order_is_compared_as_far_as_columns_decide_it(tpcds, text, columns, keys, limit):
    found = tpcds.queries.order_of(f"SELECT * FROM t {text}", columns.split())
    assert found == tpcds.queries.Order(tuple(keys.split()), limit)


@pytest.fixture
def maven(tmp_path, monkeypatch):
    """A `mvn` that writes a file instead of fetching it."""
    path = tmp_path / "bin" / "mvn"
    path.parent.mkdir()
    path.write_text(
        '#!/bin/sh\nfor each; do folder=${each#*=}; done\nprintf jar > "$folder/a.jar"\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)


def test_a_jar_is_fetched_once_and_checked(tpcds, maven, tmp_path, monkeypatch) -> None:
    artifact = tpcds.maven.Artifact("org:a:1", "a.jar", "that")
    with pytest.raises(DataError, match=r"SHA-256 is [0-9a-f]{64} instead of that"):
        tpcds.maven.fetch(artifact, tmp_path)
    assert not (tmp_path / "a.jar").exists()

    artifact = dataclasses.replace(artifact, sha256=hashlib.sha256(b"jar").hexdigest())
    assert tpcds.maven.fetch(artifact, tmp_path) == tmp_path / "a.jar"
    monkeypatch.setenv("PATH", "")
    assert tpcds.maven.fetch(artifact, tmp_path).read_bytes() == b"jar"
    with pytest.raises(DataError, match="mvn is not on the PATH"):
        tpcds.maven.fetch(artifact, tmp_path / "other")


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven fetches the generator")
def test_queries_run_on_both_engines_with_the_same_rows(tmp_path) -> None:
    command = [sys.executable, str(BENCHMARKS / "run.py"), "--suite", "tpcds", "--scale", "0.01"]
    command += ["--queries", "3,7,42", "--warmups", "0", "--runs", "1", "--no-profile"]
    command += ["--cores", "2", "--memory", "1g", "--output", "result.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [row["measurement"] for row in result["summary"]] == ["q3", "q7", "q42"]
    assert all(set(row["engines"]) == {"spark", "broadhead"} for row in result["summary"])
