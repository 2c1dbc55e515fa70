"""input_file_name and its like, which ask Spark's scan for the file that a task reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import broadhead
from spark.answers import Answers
from sql_sessions import compare_runs, configured

NAMES = "input_file_name() AS f, input_file_block_start() AS s, input_file_block_length() AS l"


@pytest.fixture(scope="module", autouse=True)
def files(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three files of 30 rows."""
    path: Path = tmp_path_factory.mktemp("names") / "files"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.range(0, 90, 1, 3).write.parquet(str(path))
    answers.session.read.parquet(str(path)).createOrReplaceTempView("three_files")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (f"SELECT {NAMES}, count(*) AS n FROM three_files GROUP BY ALL", 3),
        ("SELECT id FROM three_files WHERE input_file_name() LIKE '%part-00001%'", 30),
        (
            f"SELECT /*+ BROADCAST(b) */ a.*, b.id FROM (SELECT {NAMES}, id FROM three_files) a "
            "JOIN three_files b USING (id)",
            90,
        ),
        (f"SELECT {NAMES}, e FROM three_files LATERAL VIEW explode(array(id, id + 1)) AS e", 180),
        (
            f"SELECT DISTINCT {NAMES} FROM three_files UNION ALL SELECT 'x', 0, 0 FROM three_files",
            93,
        ),
    ],
)
def test_names_and_blocks_are_those_of_spark(answers: Answers, sql: str, rows: int) -> None:
    frame = compare_runs(answers.session, lambda: answers.session.sql(sql))
    assert frame.count() == rows


def test_what_needs_no_name_is_accelerated(answers: Answers) -> None:
    sql = (
        f"SELECT f, count(*) FROM (SELECT {NAMES}, id FROM three_files) "
        "JOIN (SELECT id FROM three_files GROUP BY id) USING (id) GROUP BY f"
    )
    frame = answers.session.sql(sql)
    compare_runs(answers.session, lambda: answers.session.sql(sql))
    found = broadhead.explain(frame)
    names = [node.name for node in found.nodes if node.accelerated]
    assert names.count("BroadheadFileSourceScan") == 1, found
    assert "BroadheadHashAggregate" in names, found
    assert any("input_file_name()" in reason for reason in found.reasons), found
