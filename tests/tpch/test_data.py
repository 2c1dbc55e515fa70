"""TPC-H data is complete or not there at all."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from broadhead.demo import data
from broadhead.demo.queries import TABLES


def test_tables_are_made_once(tmp_path):
    shares = []
    folder = data.make_data(tmp_path, 0.001, progress=shares.append)
    rows = {table: pq.read_table(folder / table).num_rows for table in TABLES}
    assert rows["region"] == 5
    assert rows["nation"] == 25
    assert rows["orders"] == 1500
    assert len(list((folder / "lineitem").glob("*.parquet"))) == data.file_count("lineitem", 0.001)
    assert shares[-1] == 1.0
    before = (folder / "lineitem").stat().st_mtime_ns
    assert data.make_data(tmp_path, 0.001) == folder
    assert (folder / "lineitem").stat().st_mtime_ns == before
    assert [path.name for path in tmp_path.iterdir()] == ["sf0.001"]


def test_an_interrupted_generation_leaves_nothing(tmp_path):
    def interrupt(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        data.make_data(tmp_path, 0.1, progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_missing_tables_are_named(tmp_path):
    (tmp_path / "sf1" / "nation").mkdir(parents=True)
    with pytest.raises(data.DataError, match="has no tables region, nation"):
        data.make_data(tmp_path, 1)


def test_a_failing_generator_is_quoted(tmp_path, monkeypatch):
    program = tmp_path / "tpchgen-cli"
    program.write_text("#!/bin/sh\necho out of luck >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(data, "_generator", lambda: str(program))
    with pytest.raises(data.DataError, match=r"failed with 3: out of luck"):
        data.make_data(tmp_path / "data", 1)
    assert list((tmp_path / "data").iterdir()) == []


def test_a_missing_generator_has_a_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(data.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(data.DataError, match="pip install"):
        data.make_data(tmp_path / "data", 1)


def test_scale_must_be_positive(tmp_path):
    with pytest.raises(data.DataError, match="above 0"):
        data.make_data(tmp_path, 0)


def test_big_tables_have_files_for_many_tasks():
    assert data.file_count("lineitem", 1) == 4
    assert data.file_count("lineitem", 30) == 16
    assert data.file_count("orders", 0.01) == 2
    assert data.file_count("nation", 1000) == 1
