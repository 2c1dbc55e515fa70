"""Stores that time out, deny, throttle or end early: Spark's own errors, and the right tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError

from spark.answers import Answers
from spark.test_failed_writes import causes, left, table, write
from spark.test_failed_writes import rows as rows
from spark.test_table_files import metric
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FAULTS = ["timeout", "denied", "throttled", "short", "cut"]
"""A file that is `cut` ends early, and nothing says so."""

KINDS = ["csv", "json", "text", "orc", "parquet"]
SCHEMA = "id BIGINT, u STRING"
ROWS = 40_000


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two files for each kind, of which the first is about 1.5 MB long."""
    folder = tmp_path_factory.mktemp("faults")
    for number, count in enumerate((ROWS, 10)):
        texts = [f"{'text' * (n % 17)} {n * 7919 % 10007}" for n in range(count)]
        content = pa.table({"id": pa.array(range(count), pa.int64()), "u": texts})
        objects = (json.dumps({"id": n, "u": text}) for n, text in enumerate(texts))
        lines = {
            "csv": [f"{n},{text}" for n, text in enumerate(texts)],
            "json": list(objects),
            "text": texts,
        }
        for kind in KINDS:
            (folder / kind).mkdir(exist_ok=True)
            path = folder / kind / f"{number}.{kind}"
            if kind in lines:
                path.write_text("\n".join(lines[kind]) + "\n")
            elif kind == "orc":
                pyarrow.orc.write_table(content, str(path))
            else:
                pq.write_table(content, path, row_group_size=10_000, compression="none")
    return folder


def read(spark: SparkSession, folder: Path, kind: str, **settings: Any) -> DataFrame:
    schema = "value STRING" if kind == "text" else SCHEMA
    options = {f"fs.store.{name.replace('_', '.')}": str(s) for name, s in settings.items()}
    frame = spark.read.format(kind).schema(schema).options(**options).load(f"store://{folder}")
    return frame if kind == "text" else frame.selectExpr("max(id)", "count(u)", "sum(length(u))")


def by_night(cases: list[tuple[Any, ...]], of_the_day: set[tuple[Any, ...]]) -> list[Any]:
    """The cases as parameters; all others than those of the day are nightly."""
    return [
        pytest.param(*case, marks=[] if case in of_the_day else pytest.mark.nightly)
        for case in cases
    ]


@pytest.mark.parametrize(
    ("kind", "fault", "after"),
    by_night(
        [(kind, fault, after) for kind in KINDS for fault in FAULTS for after in (0, 700_000)],
        {("csv", "timeout", 700_000), ("orc", "denied", 0), ("json", "cut", 700_000)},
    ),
)
def test_reads(answers: Answers, tables: Path, kind: str, fault: str, after: int) -> None:
    settings = {"fault": fault, "fault_of": "/0.", "fault_after": after}
    outcome = answers.same_outcome(lambda spark: read(spark, tables / kind, kind, **settings))
    # what is left of lines is read
    lines = fault == "cut" and kind in ("csv", "json", "text")
    assert outcome == ("rows" if lines else "error")
    # no worker keeps anything of the fault
    answers.same_rows(lambda spark: read(spark, tables / kind, kind))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["timeout", "denied", "short"])
def test_reads_that_ignore_corrupt_files(
    answers: Answers, tables: Path, kind: str, fault: str
) -> None:
    settings = {"fault": fault, "fault_of": "/0.", "fault_after": 700_000}
    with configured(answers.session, {"spark.sql.files.ignoreCorruptFiles": "true"}):
        answers.same_outcome(lambda spark: read(spark, tables / kind, kind, **settings))


def written(answers: Answers, folder: Path, kind: str, mode: str, faults: dict[str, str]) -> Any:
    """The error of a write over an older table, what it leaves, and what its repetition gives."""
    spark = answers.session
    frame = spark.table("rows_to_write").coalesce(1)
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        write(frame.where("id < 9"), folder, kind, "overwrite")
    with pytest.raises(Py4JJavaError) as failure:
        write(frame.where("id > 2"), folder, kind, mode, **faults)
    after = [causes(failure.value.java_exception), left(folder), table(spark, folder, kind)]
    write(frame.where("id > 2"), folder, kind, mode)
    if spark.conf.get("spark.broadhead.enabled") == "true":
        assert metric(spark, "BroadheadWriteFiles", "number of tasks replayed by Spark") == 0
    return [*after, left(folder), table(spark, folder, kind)]


@pytest.mark.parametrize(
    ("kind", "fault", "place"),
    by_night(
        [
            (kind, fault, place)
            for kind in ("csv", "json", "orc", "parquet")
            for fault in ("timeout", "denied", "throttled")
            for place in ("start", "middle", "end")
        ],
        {("parquet", "timeout", "end"), ("csv", "denied", "middle")},
    ),
)
def test_writes(answers: Answers, folder: Path, kind: str, fault: str, place: str) -> None:
    places = {
        "start": {"fs.store.room": "0"},
        "middle": {"fs.store.room": "2000"},
        "end": {"fs.store.write.fault.at.end": "true"},
    }
    faults = {"fs.store.write.fault": fault, **places[place]}
    found = []
    for enabled in ("false", "true"):
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            found.append(written(answers, folder / enabled, kind, "append", faults))
    for expected, actual in zip(*found, strict=True):
        assert actual == expected
    assert len(found[1][-1]) > 600
