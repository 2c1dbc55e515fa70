"""Scans of tables whose columns have ids: ids, constants, deleted rows, generated columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.errors import EngineLimit
from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.types import BOOLEAN, INTEGER, LONG, STRING, ArrayType, StructField, StructType
from engine.fragments import MemorySources, call, column, literal, run_rows, scan, whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from broadhead.operators.context import Split
    from broadhead.types import DataType

SIZE, GROUP = 1_000, 300


def field(number: int, **more: Any) -> dict[str, Any]:
    return {"id": number, "fields": {}, "generated": None, "default": None, **more}


def with_id(name: str, data_type: pa.DataType, number: int) -> pa.Field:
    return pa.field(name, data_type, metadata={"PARQUET:field_id": str(number)})


def table_scan(fields: dict[str, Any], mapping: Any = None, **types: DataType) -> nodes.FileScan:
    return replace(scan(0, **types), options={"fields": fields, "nameMapping": mapping})


@pytest.fixture
def split(tmp_path: Path) -> Split:
    """Rows 0 to 999 in four row groups: `n` is their number."""
    schema = pa.schema([with_id("n", pa.int32(), 1), with_id("s", pa.string(), 2)])
    data = pa.table({"n": range(SIZE), "s": [str(n) for n in range(SIZE)]}, schema)
    pq.write_table(data, tmp_path / "a.parquet", row_group_size=GROUP)
    return whole_file(tmp_path / "a.parquet")


def rows(
    node: nodes.FileScan, splits: Sequence[Split], *, batch: int = 70, context: Any = None
) -> list[Any]:
    settings = nodes.Settings(batch_rows=batch)
    return run_rows(node, MemorySources(files={0: splits}), settings, context or Run())


@pytest.mark.parametrize("batch", [1, 70, 300, 10_000])
def test_deleted_rows_and_positions(split: Split, batch: int) -> None:
    deleted = [0, 5, 299, 300, 301, *range(600, 900), 999]
    node = table_scan({"a": field(1), "p": field(9, generated="position")}, a=INTEGER, p=LONG)
    found = rows(node, [replace(split, deleted_rows=np.array(deleted))], batch=batch)
    assert found == [(n, n) for n in range(SIZE) if n not in set(deleted)]


def test_deleted_rows_are_marked_where_the_mark_is_wanted(split: Split) -> None:
    node = table_scan({"a": field(1), "d": field(9, generated="deleted")}, a=INTEGER, d=BOOLEAN)
    deleted = replace(split, deleted_rows=np.array([1, 998]))
    assert rows(node, [deleted]) == [(n, n in {1, 998}) for n in range(SIZE)]
    assert rows(node, [split]) == [(n, False) for n in range(SIZE)]


def test_rows_are_counted_without_any_column(split: Split) -> None:
    context = Run()
    node = table_scan({})
    rows(node, [replace(split, deleted_rows=np.arange(10)), split], context=context)
    assert context.metrics.values["0.rows"] == 2 * SIZE - 10


def test_pruned_row_groups_keep_the_positions(split: Split) -> None:
    fields = {"a": field(1), "p": field(9, generated="position")}
    condition = call("GreaterThan", BOOLEAN, column(0, INTEGER), literal(650, INTEGER))
    node = replace(table_scan(fields, a=INTEGER, p=LONG), filters=(condition,))
    context = Run()
    assert rows(node, [split], context=context) == [(n, n) for n in range(600, SIZE)]
    assert context.metrics.values["0.rowGroupsPruned"] == 2
    assert len(rows(node, [replace(split, is_filtered=False)])) == SIZE


def test_constants_replace_what_the_file_has(split: Split) -> None:
    fields = {"a": field(1), "s": field(2), "k": field(3), "d": field(4, default="x")}
    node = table_scan(fields, a=LONG, s=STRING, k=INTEGER, d=STRING)
    one = replace(split, constants={"s": "one", "k": None})
    other = replace(split, constants={"k": 7})
    found = rows(node, [one, other], batch=10_000)
    of_one = [(n, "one", None, "x") for n in range(SIZE)]
    assert found == of_one + [(n, str(n), 7, "x") for n in range(SIZE)]
    whole = replace(split, constants={"s": None, "k": 3})
    assert rows(node, [whole])[:2] == [(0, None, 3, "x"), (1, None, 3, "x")]


def test_ids_of_rows(tmp_path: Path) -> None:
    schema = pa.schema([with_id("n", pa.int64(), 1), with_id("own", pa.int64(), 7)])
    data = pa.table({"n": [1, 2, 3], "own": [None, 50, None]}, schema)
    pq.write_table(data, tmp_path / "a.parquet")
    pq.write_table(data.select(["n"]), tmp_path / "b.parquet")
    fields = {
        "row": field(7, generated="rowId"),
        "same": field(7, generated="sequenceNumber"),
    }
    node = table_scan(fields, row=LONG, same=LONG)
    first = replace(whole_file(tmp_path / "a.parquet"), constants={"row": 100, "same": 9})
    second = replace(whole_file(tmp_path / "b.parquet"), constants={"row": 200, "same": 8})
    unknown = whole_file(tmp_path / "a.parquet")
    assert rows(node, [first]) == [(100, 9), (50, 50), (102, 9)]
    assert rows(node, [second]) == [(200, 8), (201, 8), (202, 8)]
    assert rows(node, [unknown]) == [(None, None)] * 3


def nested(name: str, child: str, number: int = 5) -> pa.Schema:
    data_type = pa.list_(with_id("element", pa.struct([with_id(child, pa.int32(), number)]), 4))
    return pa.schema([with_id(name, data_type, 3)])


@pytest.mark.parametrize(
    ("child", "number", "replayed"), [("x", 5, False), ("y", 5, True), ("x", 6, True)]
)
def test_nested_fields_have_their_names(
    tmp_path: Path, child: str, number: int, *, replayed: bool
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"f": [[{child: 1}]]}, nested("f", child, number)), path)
    element = {"id": 4, "fields": {"x": {"id": 5, "fields": {}}}}
    struct = StructType("struct", (StructField("x", INTEGER, True),))
    node = table_scan(
        {"c": field(3, fields={"element": element})}, c=ArrayType("array", struct, True)
    )
    if replayed:
        with pytest.raises(EngineLimit, match="other names"):
            rows(node, [whole_file(path)])
    else:
        assert len(rows(node, [whole_file(path)])) == 1


def test_files_without_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"old": [1, 2], "s": [{"x": 1}, None]}), path)
    fields = {"a": field(1), "s": field(2, fields={"x": {"id": 3, "fields": {}}})}
    types = {"a": LONG, "s": StructType("struct", (StructField("x", LONG, True),))}
    with pytest.raises(EngineLimit, match="no field ids"):
        rows(table_scan(fields, **types), [whole_file(path)])
    below = [{"field-id": 3, "names": ["x"]}]
    mapping = [
        {"field-id": 1, "names": ["a", "old"]},
        {"field-id": 2, "names": ["s"], "fields": below},
    ]
    assert [a for a, _ in rows(table_scan(fields, mapping, **types), [whole_file(path)])] == [1, 2]
    assert rows(table_scan(fields, mapping[1:], a=LONG), [whole_file(path)]) == [(None,), (None,)]


def test_a_column_without_nulls_must_have_values(split: Split) -> None:
    node = table_scan({"k": field(5)}, k=INTEGER)
    node = replace(node, output=(nodes.Attribute("k", INTEGER, nullable=False),))
    with pytest.raises(EngineLimit, match="no values of column k"):
        rows(node, [split])


def test_timestamps_of_96_bits_are_left_to_iceberg(tmp_path: Path) -> None:
    schema = pa.schema([with_id("t", pa.timestamp("us"), 1)])
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"t": [0]}, schema), path, use_deprecated_int96_timestamps=True)
    with pytest.raises(EngineLimit, match="own rules"):
        rows(table_scan({"t": field(1)}, t=LONG), [whole_file(path)])
