"""Metrics of the operators, as the SQL tab shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.profiling import profile
from spark.answers import Answers
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 20_000


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = tmp_path_factory.mktemp("metrics") / "t.parquet"
    ids = pa.array(range(ROWS), pa.int64())
    pq.write_table(pa.table({"id": ids, "v": ids}), path, row_group_size=2000)
    return answers.session.read.parquet(str(path))


def metrics(answers: Answers, frame: DataFrame) -> dict[str, dict[str, str]]:
    """Texts of the metrics by operator and name, from the store behind the SQL tab."""
    frame.collect()
    context = answers.session.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    store = answers.session._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    last = executions.last().executionId()
    values = store.executionMetrics(last)
    nodes = store.planGraph(last).allNodes()
    found: dict[str, dict[str, str]] = {}
    for node in (nodes.apply(i) for i in range(nodes.size())):
        for metric in (node.metrics().apply(i) for i in range(node.metrics().size())):
            value = values.get(metric.accumulatorId())
            if value.isDefined():
                found.setdefault(node.name(), {})[metric.name()] = value.get()
    return found


def count_of(text: str) -> int:
    return int(text.replace(",", ""))


def total(text: str) -> str:
    """The total in a text such as `total (min, med, max ...)\\n1.2 s (...)`."""
    return text.splitlines()[-1].split(" (")[0]


def nanoseconds(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.,]+) (\w+)", total(text)).groups()
    scale = {"ms": 1e6, "s": 1e9, "m": 6e10, "min": 6e10}[unit]
    return float(number.replace(",", "")) * scale


def test_metrics_of_a_scan(answers: Answers, table: DataFrame) -> None:
    found = metrics(answers, table.where("id < 3000 AND v % 2 = 0").groupBy("id").count())
    scan = next(found[name] for name in found if name.startswith("BroadheadFileSourceScan"))
    assert count_of(scan["number of row groups read"]) == 10
    assert count_of(scan["number of row groups pruned"]) == 8
    assert count_of(scan["number of output rows"]) == 4000
    assert count_of(scan["number of files read"]) == 1
    assert 0 <= nanoseconds(scan["scan time"]) < 60e9
    assert re.fullmatch(r"[\d.]+ KiB", total(scan["size of data read"]))
    assert count_of(found["BroadheadFilter"]["number of output rows"]) == 1500
    assert "number of tasks replayed by Spark" in found["BroadheadHashAggregate"]
    assert count_of(found["BroadheadHashAggregate"]["number of output rows"]) == 1500
    assert 0 <= nanoseconds(found["BroadheadHashAggregate"]["time in the engine"]) < 60e9


def test_metrics_of_a_row_source(answers: Answers) -> None:
    with configured(answers.session, {"spark.broadhead.operator.Range.enabled": "false"}):
        found = metrics(answers, answers.session.range(0, 5000, 1, 2).where("id % 2 = 0"))
    assert count_of(found["BroadheadRowSource"]["number of rows sent to the engine"]) == 5000
    assert count_of(found["BroadheadRowSource"]["number of batches sent to the engine"]) == 2
    project = found["BroadheadFilter"]
    assert count_of(project["number of output rows"]) == 2500
    assert count_of(project["number of output batches"]) == 2
    assert 0 <= nanoseconds(project["time waiting for Spark"]) < 60e9


def test_replays_are_counted(answers: Answers, tmp_path: Path) -> None:
    unsigned = pa.table({"a": pa.array([5, 6], pa.uint64())})
    # Spark itself fails at a dictionary of unsigned numbers that are read as BIGINT.
    pq.write_table(unsigned, tmp_path / "t.parquet", use_dictionary=False)
    read = answers.session.read.schema("a BIGINT").parquet(str(tmp_path))
    found = metrics(answers, read.where("a > 5"))
    assert count_of(found["BroadheadFilter"]["number of tasks replayed by Spark"]) == 1
    assert count_of(found["BroadheadFilter"]["number of output rows"]) == 1


def test_a_limit_counts_what_was_read(answers: Answers, table: DataFrame) -> None:
    found = metrics(answers, table.where("id >= 0").limit(3))
    rows = count_of(found["BroadheadFilter"]["number of output rows"])
    assert 3 <= rows <= ROWS


def test_task_metrics_count_the_input(answers: Answers, table: DataFrame) -> None:
    store = answers.session.sparkContext._jsc.sc().statusStore()
    before = _input(store)
    table.where("id >= 0").groupBy("v").count().collect()
    answers.session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    assert _input(store) - before > 1000


def _input(store: Any) -> int:
    return int(store.executorSummary("driver").totalInputBytes())


def test_a_profile_has_sparks_milliseconds_as_nanoseconds(
    answers: Answers, table: DataFrame
) -> None:
    """Spark's metrics of the type `timing` are milliseconds, those of `nsTiming` nanoseconds."""
    joined = table.join(table.where("id < 9"), "id", "left_semi")
    exchanges = [o for o in profile(joined).operators if o.name == "BroadheadBroadcastExchange"]
    [collected] = [exchange.metrics["collectTime"] for exchange in exchanges]
    assert collected >= 1_000_000
    assert collected % 1_000_000 == 0
