"""Which operators of plain plans would run, and the estimate that follows."""

from __future__ import annotations

import pytest

from broadhead.event_logs.estimate import IDLE, KINDS, SPARK, START, calibration, estimate
from broadhead.event_logs.qualification import judge, platform_of
from broadhead.event_logs.queries import PlanNode
from broadhead.event_logs.support import unknown_functions

SCAN = "FileScan parquet [k#1] Format: Parquet, Location: InMemoryFileIndex(1 paths)[%s/t]"


def node(name: str, *children: PlanNode, text: str = "") -> PlanNode:
    return PlanNode(name, text or name, (), children)


def scan(location: str = "file:") -> PlanNode:
    return node("Scan parquet", text=SCAN % location)


def reasons(plan: PlanNode) -> dict[str, list[str]]:
    return {found.name: told for found, told in judge(plan)}


def test_a_scan_and_an_aggregation_run() -> None:
    plan = node("HashAggregate", node("InputAdapter", scan()), text="HashAggregate(keys=[k#1])")
    assert reasons(plan) == {"HashAggregate": [], "Scan parquet": []}


@pytest.mark.parametrize(
    "text",
    [
        "BatchScan ice.db.t[k#1] IcebergScan(table=ice.db.t, schemaId=0, filters=myfunc(k))",
        "BatchScan parquet file:/t[k#1] ParquetScan DataFilters: [], Format: parquet, Location: x",
    ],
)
def test_a_scan_of_a_data_source_whose_files_are_read_runs(text: str) -> None:
    plan = node("HashAggregate", node("BatchScan ice.db.t", text=text))
    assert reasons(plan) == {"HashAggregate": [], "BatchScan ice.db.t": []}


@pytest.mark.parametrize(
    ("leaf", "reason"),
    [
        (node("Scan json"), "operator Scan json is not supported: json files are not read"),
        (node("BatchScan ice"), "operator BatchScan ice is not supported"),
    ],
)
def test_other_sources_stay_with_spark_and_so_does_what_reads_their_rows(leaf, reason) -> None:
    found = reasons(node("HashAggregate", leaf))
    assert found[leaf.name] == [reason]
    (told,) = found["HashAggregate"]
    assert told == "estimated slower than Spark: its rows come from Spark, not from files"


def test_a_scan_whose_rows_go_to_spark_unreduced_stays_with_spark() -> None:
    plan = node("DeserializeToObject", node("Project", scan()))
    assert reasons(plan)["Scan parquet"] == [
        "estimated slower than Spark: rows would return without being reduced"
    ]
    aggregated = node("DeserializeToObject", node("HashAggregate", scan()))
    assert reasons(aggregated)["Scan parquet"] == []


def test_python_functions_run_over_rows_of_spark() -> None:
    plan = node("MapInPandas", node("Scan json"), text="MapInPandas f(k#1)#2")
    assert reasons(plan)["MapInPandas"] == []


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Filter (isnotnull(a#1) AND StartsWith(a#1, b) AND (upper(a#1) IN (x,y)))", []),
        ("HashAggregate(keys=[], functions=[partial_sum(v#1), merge_count(1)])", []),
        ("Project [reflect(java.lang.String, valueOf, s#16, true) AS r#2]", ["reflect"]),
        ("Project [xpath_int(a#1, b) AS x#3, xpath_int(c#1, d) AS y#4]", ["xpath_int"]),
        ("Project [CASE WHEN (a#1 = 'xpath_int(') THEN cast(a#1 as int) END AS b#2]", []),
        ("Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=5]", []),
        ("Project [knownfloatingpointnormalized(normalizenanandzero(d#1)) AS d#2]", []),
        # Spark 3.3
        ("Project [CheckOverflow((promote_precision(a#1) * b#2), DecimalType(9,2)) AS c#3]", []),
    ],
)
def test_functions_are_found_in_the_text_of_operators(text, unknown) -> None:
    assert unknown_functions(text) == unknown


@pytest.mark.parametrize(
    ("properties", "platform"),
    [
        ({"spark.master": "yarn"}, "yarn"),
        ({"spark.master": "k8s://https://host"}, "kubernetes"),
        ({"spark.master": "spark://host:7077"}, "standalone"),
        ({"spark.master": "local[2]"}, ""),
        ({"spark.master": "local[*]", "spark.databricks.clusterUsageTags.x": ""}, "databricks"),
    ],
)
def test_the_platform_is_that_of_the_log(properties, platform) -> None:
    assert platform_of(properties) == platform


def test_the_estimate_multiplies_each_part_by_its_ratio() -> None:
    ratios = calibration()["ratios"]
    assert set(ratios) == {START, IDLE, SPARK, *KINDS}
    parts = {"scan": 6000.0, "join": 1000.0, SPARK: 2000.0, IDLE: 1000.0}
    expected = ratios[START] + sum(ms * ratios[kind] for kind, ms in parts.items())
    found = estimate(10000, parts)
    assert found.ms == pytest.approx(expected)
    assert found.low_ms < found.ms < found.high_ms
    unchanged = estimate(10000, {SPARK: 9000.0, IDLE: 1000.0})
    assert (unchanged.low_ms, unchanged.ms, unchanged.high_ms) == (10000, 10000, 10000)
