"""Planning for executors with a GPU, as if this host had one; the fragments run on pyarrow."""

from __future__ import annotations

import json
import platform
import sys
from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from broadhead.worker.device import gpu_possible
from night import half_by_day
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spark.answers import Answers

pytestmark = pytest.mark.skipif(gpu_possible(), reason="this host has a GPU of its own")

FILES = 10


@pytest.fixture
def gpu_host(answers: Answers) -> Iterator[None]:
    """The application with an executor that has reported a GPU."""
    context = answers.session.sparkContext._jvm.Thread.currentThread().getContextClassLoader()
    state = context.loadClass("org.apache.spark.sql.broadhead.application.BroadheadState$")
    module = state.getField("MODULE$").get(None)

    def report(gpus: list[str]) -> None:
        found = {
            "interpreter": sys.executable,
            "python": platform.python_version(),
            "gpus": [{"name": gpu} for gpu in gpus],
        }
        module.executorReported(json.dumps({"executor": "driver", "report": found}))

    report(["a GPU"])
    yield
    report([])


@pytest.fixture
def table(answers: Answers, tmp_path: Path) -> str:
    """A view of rows in several files, in the order of `id`."""
    session = answers.session
    with configured(session, {"spark.broadhead.enabled": "false"}):
        rows = session.range(0, 20_000, 1, FILES)
        rows = rows.selectExpr("id", "id % 37 AS k", "IF(id % 5 = 0, -0.0D, 0.0D) AS zero")
        rows.write.parquet(str(tmp_path / "rows"))
    session.read.parquet(str(tmp_path / "rows")).createOrReplaceTempView("gpu_rows")
    return "gpu_rows"


@pytest.mark.parametrize("device", ["gpu", "auto", "cpu"])
def test_scans_have_few_tasks_where_they_go_to_a_gpu(
    answers: Answers, gpu_host: None, table: str, configuration, device: str
) -> None:
    configuration(
        spark__broadhead__device=device,
        spark__sql__files__maxPartitionBytes="4k",
        spark__sql__files__openCostInBytes="4k",
    )
    frame = answers.session.sql(f"SELECT id + 1 AS next FROM {table} WHERE k < 30")
    tasks = frame.rdd.getNumPartitions()
    assert tasks == 4 if device == "gpu" else tasks >= FILES


def test_functions_of_the_host_stay_where_nothing_else_gains(
    answers: Answers, gpu_host: None, table: str, configuration
) -> None:
    """Digests are computed in the host's memory; elementary functions and hashes are not."""
    configuration(spark__broadhead__device="auto", spark__broadhead__costModel__enabled="true")
    left = explain(answers.session.sql(f"SELECT max(sha2(CAST(id AS STRING), 256)) FROM {table}"))
    assert left.accelerated == 0, left
    assert any("slower than Spark: sha2 takes" in reason for reason in left.reasons), left
    for text in ("SELECT max(hash(id)) FROM", "SELECT k, max(ln(id)) FROM"):
        groups = " GROUP BY k" if " k," in text else ""
        found = explain(answers.session.sql(f"{text} {table}{groups}"))
        assert found.accelerated == found.total, found


@pytest.mark.parametrize(
    ("device", "adaptive", "query"),
    half_by_day(
        ["gpu", "auto"],
        ["true", "false"],
        [
            "SELECT k, count(*), sum(id), max(zero), min(zero) FROM gpu_rows GROUP BY k",
            "SELECT l.id, r.k FROM gpu_rows l JOIN gpu_rows r ON l.id = r.id + 1 WHERE r.k = 3",
            "SELECT id FROM gpu_rows ORDER BY k DESC, id LIMIT 5000",
            "SELECT k, id, sum(id) OVER (PARTITION BY k ORDER BY id) FROM gpu_rows",
            "SELECT count(*) FROM (SELECT id FROM gpu_rows UNION ALL SELECT k FROM gpu_rows)",
        ],
    ),
)
def test_rows_are_those_of_spark(
    answers: Answers,
    gpu_host: None,
    table: str,
    configuration,
    device: str,
    adaptive: str,
    query: str,
) -> None:
    configuration(spark__broadhead__device=device, spark__sql__adaptive__enabled=adaptive)
    answers.same_rows(lambda spark: spark.sql(query))
