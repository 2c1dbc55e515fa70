"""Parquet scans: splits, pruning, missing and partition columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.errors import EngineLimit
from broadhead.files.input_file import LocalFile
from broadhead.operators.context import Run, Split
from broadhead.plan import nodes
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DAY_TIME_INTERVAL,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    DecimalType,
)
from engine.fragments import (
    MemorySources,
    attributes,
    call,
    column,
    literal,
    run_rows,
    scan,
    whole_file,
)

if TYPE_CHECKING:
    from pathlib import Path

    from broadhead.types import DataType


def write(path: Path, table: pa.Table, rows: int = 1_000) -> Path:
    pq.write_table(table, path, row_group_size=rows)
    return path


def numbers(path: Path) -> Path:
    return write(path, pa.table({"a": pa.array(range(10_000), pa.int64())}))


@pytest.mark.parametrize("parts", [1, 3, 7, 40])
def test_splits_cover_each_row_once(tmp_path: Path, parts: int) -> None:
    path = numbers(tmp_path / "a.parquet")
    size = path.stat().st_size
    step = -(-size // parts)
    splits = [Split(LocalFile(str(path)), start, step, ()) for start in range(0, size, step)]
    rows = run_rows(scan(0, a=LONG), MemorySources(files={0: splits}))
    assert [a for (a,) in rows] == list(range(10_000))


@pytest.mark.parametrize("type_", [LONG, DAY_TIME_INTERVAL], ids=lambda type_: type_.name)
def test_statistics_skip_row_groups(tmp_path: Path, type_: DataType) -> None:
    path = numbers(tmp_path / "a.parquet")
    node = scan(0, a=type_)
    condition = call("EqualTo", BOOLEAN, column(0, type_), literal(4_321, type_))
    context = Run()
    sources = MemorySources(files={0: [whole_file(path)]})
    rows = run_rows(replace(node, filters=(condition,)), sources, context=context)
    assert [a for (a,) in rows] == list(range(4_000, 5_000))
    assert context.metrics.values["0.rowGroups"] == 10
    assert context.metrics.values["0.rowGroupsPruned"] == 9


def test_a_footer_is_parsed_once_for_all_splits_and_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = numbers(tmp_path / "a.parquet")
    parsed = []
    parse = pq.read_metadata
    monkeypatch.setattr(pq, "read_metadata", lambda path: parsed.append(path) or parse(path))
    middle = path.stat().st_size // 2
    splits = [Split(LocalFile(str(path)), start, middle + 1, ()) for start in (0, middle + 1)]
    assert len(run_rows(scan(0, a=LONG), MemorySources(files={0: splits}))) == 10_000
    assert parsed == [str(path)]
    numbers(path)
    assert len(run_rows(scan(0, a=LONG), MemorySources(files={0: splits}))) == 10_000
    assert parsed == [str(path)] * 2


def test_missing_and_partition_columns(tmp_path: Path) -> None:
    one = write(tmp_path / "1.parquet", pa.table({"A": [1, 2], "s": ["x", None]}))
    two = write(tmp_path / "2.parquet", pa.table({"a": [3]}))
    node = replace(
        scan(0, a=LONG, s=STRING),
        output=attributes(a=LONG, s=STRING, day=INTEGER),
        partition_columns=("day",),
        partition_ordinals=(0,),
    )
    sources = MemorySources(files={0: [whole_file(one, 7), whole_file(two, None)]})
    assert run_rows(node, sources) == [(1, "x", 7), (2, None, 7), (3, None, None)]


def test_only_rows_are_counted_where_no_column_is_read(tmp_path: Path) -> None:
    path = numbers(tmp_path / "a.parquet")
    node = replace(scan(0), output=(), data_columns=())
    assert len(run_rows(node, MemorySources(files={0: [whole_file(path)]}))) == 10_000


UNSIGNED = {
    "byte": (pa.uint8(), SHORT, [0, 1, 2**8 - 1]),
    "byte-for-integer": (pa.uint8(), INTEGER, [0, 1, 2**8 - 1]),
    "byte-for-long": (pa.uint8(), LONG, [0, 1, 2**8 - 1]),
    "short": (pa.uint16(), INTEGER, [0, 1, 2**16 - 1]),
    "integer": (pa.uint32(), LONG, [0, 1, 2**32 - 1]),
    "long": (pa.uint64(), DecimalType("decimal", 20, 0), [0, 1, 2**64 - 1]),
}
"""Type in the file, Spark's type for it, and values."""


@pytest.mark.parametrize("case", UNSIGNED)
def test_unsigned_integers(tmp_path: Path, case: str) -> None:
    layout, type_, values = UNSIGNED[case]
    path = write(tmp_path / "a.parquet", pa.table({"a": pa.array([*values, None], layout)}))
    rows = run_rows(scan(0, a=type_), MemorySources(files={0: [whole_file(path)]}))
    assert [a for (a,) in rows] == [*values, None]


def test_statistics_of_unsigned_integers_skip_nothing(tmp_path: Path) -> None:
    values = [1, 2**32 - 1]
    path = write(tmp_path / "a.parquet", pa.table({"a": pa.array(values, pa.uint32())}))
    condition = call("EqualTo", BOOLEAN, column(0, LONG), literal(2**32 - 1, LONG))
    node = replace(scan(0, a=LONG), filters=(condition,))
    assert run_rows(node, MemorySources(files={0: [whole_file(path)]})) == [(v,) for v in values]


@pytest.mark.parametrize(
    ("layout", "type_"),
    [
        (pa.uint8(), BYTE),
        (pa.uint16(), SHORT),
        (pa.uint32(), INTEGER),
        (pa.uint64(), LONG),
        (pa.uint64(), DecimalType("decimal", 20, 2)),
        (pa.uint64(), DecimalType("decimal", 19, 0)),
        (pa.uint32(), DecimalType("decimal", 20, 0)),
    ],
    ids=str,
)
def test_other_unsigned_integers_are_left_to_spark(
    tmp_path: Path, layout: pa.DataType, type_: DataType
) -> None:
    path = write(tmp_path / "a.parquet", pa.table({"a": pa.array([1], layout)}))
    with pytest.raises(EngineLimit, match="column a is not stored as"):
        run_rows(scan(0, a=type_), MemorySources(files={0: [whole_file(path)]}))


def test_other_types_are_left_to_spark(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", pa.table({"a": ["x"]}))
    with pytest.raises(EngineLimit, match="column a is not stored as long"):
        run_rows(scan(0, a=LONG), MemorySources(files={0: [whole_file(path)]}))


def test_corrupt_and_missing_files_raise(tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 but no more")
    with pytest.raises(pa.ArrowInvalid):
        run_rows(scan(0, a=LONG), MemorySources(files={0: [whole_file(broken)]}))
    gone = Split(LocalFile(str(tmp_path / "gone.parquet")), 0, 10, ())
    with pytest.raises(FileNotFoundError):
        run_rows(scan(0, a=LONG), MemorySources(files={0: [gone]}))


def test_batches_stay_within_the_limit(tmp_path: Path) -> None:
    path = numbers(tmp_path / "a.parquet")
    context = Run()
    sources = MemorySources(files={0: [whole_file(path)]})
    rows = run_rows(scan(0, a=LONG), sources, nodes.Settings(batch_rows=300), context)
    assert len(rows) == 10_000
    assert context.metrics.values["0.batches"] >= 34


def test_stops_early(tmp_path: Path) -> None:
    path = numbers(tmp_path / "a.parquet")
    asked = iter([False, False, True])
    context = Run(stopped=lambda: next(asked))
    sources = MemorySources(files={0: [whole_file(path)]})
    rows = run_rows(scan(0, a=LONG), sources, nodes.Settings(batch_rows=1_000), context)
    assert len(rows) == 2_000
