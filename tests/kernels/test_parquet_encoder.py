"""Parquet files that a GPU encodes."""

from __future__ import annotations

import io
import os
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.arrow_layout import arrow_schema
from broadhead.files.parquet_writer import DeviceParquetWriter
from broadhead.kernels.interface import Kernels
from broadhead.plan.nodes import Attribute
from broadhead.types import parse_type

OPTIONS = {
    "compression": "snappy",
    "dictionary": True,
    "int96": False,
    "fieldIds": [],
    "metadata": {"org.apache.spark.version": "4.1.0", "key": "ä value"},
}

COLUMNS: dict[str, list[Any]] = {
    "boolean": [True, None, False],
    "byte": [-128, None, 127],
    "short": [-32768, None, 32767],
    "integer": [-(2**31), None, 2**31 - 1],
    "long": [-(2**63), None, 2**63 - 1],
    "float": [float("nan"), None, -0.0],
    "double": [float("inf"), None, 1.5],
    "string": ["", None, "ä€😀"],
    "binary": [b"\xff\0", None, b""],
    "date": [date(1, 1, 1), None, date(9999, 12, 31)],
    "timestamp": [
        datetime(1, 1, 1, tzinfo=UTC),
        None,
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
    "decimal(7,2)": [Decimal("-99999.99"), None, Decimal("0.01")],
    "decimal(18,4)": [Decimal("99999999999999.9999"), None, Decimal("-0.0001")],
    "decimal(38,10)": [Decimal("1234567890123456789012345678.0123456789"), None, Decimal(-1)],
    "decimal(20,0)": [Decimal(5), None, Decimal(-5)],
}


def encoded(k: Kernels, table: pa.Table, types: list[str], times: int = 1) -> pq.ParquetFile:
    attributes = [
        Attribute(name, parse_type(type_), nullable=True)
        for name, type_ in zip(table.schema.names, types, strict=True)
    ]
    if os.environ["BROADHEAD_TEST_KERNELS"] == "arrow":
        assert not k.parquet.can_encode(attributes, OPTIONS)
        pytest.skip("files of the host have an encoder of their own")
    assert k.parquet.can_encode(attributes, OPTIONS)
    writer = DeviceParquetWriter(k, attributes, OPTIONS)
    content = b""
    for _ in range(times):
        columns = [
            k.columns.from_arrow(column.combine_chunks(), attribute.type)
            for column, attribute in zip(table.columns, attributes, strict=True)
        ]
        content += b"".join(writer.write(columns))
    return pq.ParquetFile(io.BytesIO(content + b"".join(writer.close())))


def table_of(types: list[str], repeat: int = 1) -> pa.Table:
    schema = arrow_schema([Attribute(f"c {t}", parse_type(t), nullable=True) for t in types])
    columns = [
        pa.array(COLUMNS[type_] * repeat, field.type)
        for type_, field in zip(types, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)


@pytest.mark.parametrize("type_", COLUMNS)
def test_values_are_read_back(k: Kernels, type_: str) -> None:
    table = table_of([type_])
    file = encoded(k, table, [type_])
    found = file.read()
    assert repr(found.column(0).to_pylist()) == repr(table.column(0).to_pylist())
    assert found.schema.field(0).type == table.schema.field(0).type
    assert found.schema.field(0).name == f"c {type_}"


def test_metadata_are_those_of_spark(k: Kernels) -> None:
    file = encoded(k, table_of(["long"]), ["long"])
    found = {key.decode(): value.decode() for key, value in file.metadata.metadata.items()}
    assert OPTIONS["metadata"].items() <= found.items()  # type: ignore[attr-defined]
    assert file.metadata.row_group(0).column(0).compression == "SNAPPY"


@pytest.mark.parametrize("type_", ["integer", "long", "string", "date", "decimal(18,4)"])
def test_bounds_are_those_of_the_values(k: Kernels, type_: str) -> None:
    table = table_of([type_])
    statistics = encoded(k, table, [type_]).metadata.row_group(0).column(0).statistics
    values = [value for value in COLUMNS[type_] if value is not None]
    assert (statistics.min, statistics.max) == (min(values), max(values))
    assert statistics.null_count == 1


@pytest.mark.parametrize("type_", ["float", "double"])
def test_columns_with_nan_have_no_bounds(k: Kernels, type_: str) -> None:
    column = encoded(k, table_of([type_]), [type_]).metadata.row_group(0).column(0)
    assert not column.is_stats_set or not column.statistics.has_min_max


def test_many_rows_and_row_groups(k: Kernels) -> None:
    types = ["long", "string", "decimal(7,2)"]
    table = table_of(types, repeat=1_000_000)
    file = encoded(k, table, types, times=3)
    assert file.metadata.num_rows == 9_000_000
    assert file.metadata.num_row_groups > 1
    assert file.read().equals(pa.concat_tables([table] * 3))


def test_what_the_host_encodes(k: Kernels) -> None:
    moments = [Attribute("t", parse_type("timestamp"), nullable=True)]
    local = [Attribute("t", parse_type("timestamp_ntz"), nullable=True)]
    nested = [
        Attribute(
            "t",
            parse_type({"type": "array", "elementType": "integer", "containsNull": True}),
            nullable=True,
        )
    ]
    assert not k.parquet.can_encode(moments, {**OPTIONS, "int96": True})
    assert not k.parquet.can_encode(local, OPTIONS)
    assert not k.parquet.can_encode(nested, OPTIONS)
    assert not k.parquet.can_encode(moments, {**OPTIONS, "compression": "brotli"})
