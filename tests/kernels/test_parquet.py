"""Reading of row groups."""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.files.input_file import LocalFile
from broadhead.kernels.interface import Kernels
from broadhead.kernels.kept_chunks import CHUNKS
from broadhead.types import (
    BYTE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    StructField,
    StructType,
    decimal,
)
from kernels.physical import digits, host, same, values
from kernels.test_columns import SAMPLES


@pytest.fixture(autouse=True, params=[0, 1 << 30], ids=["files", "chunks"])
def kept(k: Kernels, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading as in workers, and as in the process of a GPU, which keeps chunks of files."""
    if request.param and k.device.name != "gpu":
        pytest.skip("only a GPU keeps chunks of files")
    monkeypatch.setattr(CHUNKS, "limit", request.param)
    if request.param:
        from broadhead.kernels.cudf import parquet

        monkeypatch.setattr(parquet, "_FILE_BYTES", 1)


def write(path: Path, table: pa.Table, **options: Any) -> str:
    pq.write_table(table, path, **options)
    return str(path)


def groups(path: str) -> list[int]:
    return list(range(pq.read_metadata(path).num_row_groups))


def read(
    k: Kernels,
    pieces: Sequence[tuple[str, Sequence[int]]],
    columns: dict[str, DataType],
    batch_rows: int = 1000,
) -> tuple[list[list[Any]], list[list[int]]]:
    """The columns' values, and the rows of each piece in each batch."""
    found: list[list[Any]] = [[] for _ in columns]
    counts = []
    names, types = list(columns), list(columns.values())
    files = [(LocalFile(path), groups) for path, groups in pieces]
    for arrays, rows in k.parquet.read(files, names, types, batch_rows):
        assert len(arrays) == len(names)
        assert len(rows) == len(pieces)
        assert 0 < sum(rows) <= batch_rows
        for column, data, type in zip(found, arrays, types, strict=True):
            assert k.columns.length(data) == sum(rows)
            column.extend(values(k, data, type))
        counts.append(list(rows))
    return found, counts


TABLE = pa.table(
    {"n": pa.array(range(100), pa.int64()), "s": [f"text {i % 7}" for i in range(100)]}
)
COLUMNS = {"s": STRING, "n": LONG}


@pytest.mark.parametrize("batch_rows", [1, 7, 10, 33, 100, 1000])
def test_batches(k: Kernels, tmp_path: Path, batch_rows: int) -> None:
    one = write(tmp_path / "1.parquet", TABLE, row_group_size=30)
    two = write(tmp_path / "2.parquet", TABLE.slice(50), row_group_size=50)
    pieces = [(one, [0, 1, 2, 3]), (two, [0])]
    (texts, numbers), counts = read(k, pieces, COLUMNS, batch_rows)
    assert numbers == [*range(100), *range(50, 100)]
    assert texts == [f"text {i % 7}" for i in numbers]
    assert [sum(rows) for rows in zip(*counts, strict=True)] == [100, 50]
    places = [piece for rows in counts for piece, count in enumerate(rows) for _ in range(count)]
    assert places == sorted(places)


def test_reading_again(k: Kernels, tmp_path: Path) -> None:
    path = write(tmp_path / "1.parquet", TABLE, row_group_size=10)
    first, _ = read(k, [(path, [7])], COLUMNS)
    again, _ = read(k, [(path, [6, 7, 8])], COLUMNS)
    assert first == [column[10:20] for column in again]
    write(tmp_path / "1.parquet", TABLE.slice(50), row_group_size=10)
    os.utime(path, ns=(1, 1))
    (_, numbers), _ = read(k, [(path, [0])], COLUMNS)
    assert numbers == list(range(50, 60))


def test_chosen_row_groups(k: Kernels, tmp_path: Path) -> None:
    path = write(tmp_path / "1.parquet", TABLE, row_group_size=10)
    pieces = [(path, [7]), (path, []), (path, [2, 3])]
    (_, numbers), counts = read(k, pieces, COLUMNS)
    assert numbers == [*range(70, 80), *range(20, 40)]
    assert [sum(rows) for rows in zip(*counts, strict=True)] == [10, 0, 20]


def test_no_columns(k: Kernels, tmp_path: Path) -> None:
    path = write(tmp_path / "1.parquet", TABLE, row_group_size=40)
    for batch_rows in (15, 1000):
        _, counts = read(k, [(path, [0, 2]), (path, [1])], {}, batch_rows)
        assert [sum(rows) for rows in zip(*counts, strict=True)] == [60, 40]


def test_no_rows(k: Kernels, tmp_path: Path) -> None:
    empty = write(tmp_path / "1.parquet", TABLE.slice(0, 0))
    full = write(tmp_path / "2.parquet", TABLE)
    assert read(k, [], COLUMNS) == ([[], []], [])
    assert read(k, [(full, [])], COLUMNS) == ([[], []], [])
    assert read(k, [(empty, groups(empty))], COLUMNS)[0] == [[], []]
    (_, numbers), counts = read(k, [(empty, groups(empty)), (full, [0])], COLUMNS)
    assert numbers == list(range(100))
    assert counts == [[0, 100]]


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("page", ["1.0", "2.0"])
def test_compressions(k: Kernels, tmp_path: Path, compression: str, page: str) -> None:
    path = write(tmp_path / "1.parquet", TABLE, compression=compression, data_page_version=page)
    (_, numbers), _ = read(k, [(path, [0])], COLUMNS)
    assert numbers == list(range(100))


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize("dictionary", [True, False])
def test_types(
    k: Kernels, tmp_path: Path, type: DataType, sample: list[Any], dictionary: bool
) -> None:
    rows = sample * 40
    table = pa.table({"c": host(rows, type), "nulls": host([None] * len(rows), type)})
    path = write(tmp_path / "1.parquet", table, use_dictionary=dictionary, row_group_size=70)
    pieces = [(path, groups(path))]
    (found, nulls), _ = read(k, pieces, {"c": type, "nulls": type}, 60)
    assert same(found, rows)
    assert nulls == [None] * len(rows)
    required = pa.schema([pa.field("c", table.schema.field("c").type, False)])
    full = [value for value in rows if value is not None]
    path = write(tmp_path / "2.parquet", pa.table([host(full, type)], required))
    (found,), _ = read(k, [(path, [0])], {"c": type})
    assert same(found, full)


@pytest.mark.parametrize("precision", [5, 9, 15, 18, 25, 38])
@pytest.mark.parametrize("as_integer", [True, False])
def test_decimals(k: Kernels, tmp_path: Path, precision: int, as_integer: bool) -> None:
    type = decimal(precision, 2)
    edge = 10**precision - 1
    rows = [0, 1, -1, None, edge, -edge, 12345] * 20
    table = pa.table({"d": host(rows, type)})
    path = write(tmp_path / "1.parquet", table, store_decimal_as_integer=as_integer)
    physical = pq.read_metadata(path).schema.column(0).physical_type
    small = "INT32" if precision <= 9 else "INT64" if precision <= 18 else "FIXED_LEN_BYTE_ARRAY"
    assert physical == (small if as_integer else "FIXED_LEN_BYTE_ARRAY")
    for batch_rows in (50, 1000):
        (found,), _ = read(k, [(path, [0])], {"d": type}, batch_rows)
        assert found == rows
    (arrays, _), *_ = k.parquet.read([(LocalFile(path), [0])], ["d"], [type], 1000)
    fits = k.decimal.fits_long(arrays[0])
    assert (fits is not None) == (precision <= 18)


INTEGER_DECIMALS = [
    # as Spark, pyarrow and others write them
    {},
    {"store_schema": False, "version": "1.0"},
    {"use_dictionary": False},
    {"use_dictionary": False, "column_encoding": "DELTA_BINARY_PACKED"},
    {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"},
    {"data_page_version": "2.0", "dictionary_pagesize_limit": 100, "data_page_size": 100},
]


@pytest.mark.parametrize("options", INTEGER_DECIMALS, ids=str)
@pytest.mark.parametrize("precision", [9, 18])
def test_integers_that_are_decimals(
    k: Kernels, tmp_path: Path, options: dict[str, Any], precision: int
) -> None:
    type = decimal(precision, 3)
    rows = [None if i % 7 == 0 else (-1) ** i * (10**precision - i) for i in range(500)]
    full = [0 if value is None else value for value in rows]
    schema = pa.schema([("a", pa.int32()), ("d", host([], type).type), ("s", pa.string())])
    schema = schema.append(pa.field("e", schema.field("d").type, nullable=False))
    columns = [range(500), host(rows, type), ["x"] * 500, host(full, type)]
    table = pa.table(columns, schema)
    if "column_encoding" in options:
        encodings = dict.fromkeys(["d", "e"], options["column_encoding"])
        options = options | {"column_encoding": encodings}
    path = write(
        tmp_path / "1.parquet",
        table,
        store_decimal_as_integer=True,
        row_group_size=150,
        **options,
    )
    broader = decimal(precision + 12, 3)
    types = {"e": type, "s": STRING, "d": type, "a": LONG}
    found, _ = read(k, [(path, [0, 1]), (path, [3, 2])], types, 70)
    order = [*range(300), *range(450, 500), *range(300, 450)]
    assert found == [[column[i] for i in order] for column in (full, ["x"] * 500, rows, range(500))]
    (found_broad,), _ = read(k, [(path, groups(path))], {"d": broader})
    assert found_broad == rows


@pytest.mark.parametrize(("precision", "edge"), [(9, 2**31 - 1), (18, 2**63 - 1)])
def test_more_digits_than_the_file_declares(
    k: Kernels, tmp_path: Path, precision: int, edge: int
) -> None:
    type = decimal(precision, 2)
    rows = [edge, None, -edge, 1]
    table = pa.table({"d": host(rows, type)})
    path = write(tmp_path / "1.parquet", table, store_decimal_as_integer=True)
    for as_type in (type, decimal(38, 2)):
        (found,), _ = read(k, [(path, [0])], {"d": as_type})
        assert found == rows


def test_decimals_in_nested_columns(k: Kernels, tmp_path: Path) -> None:
    price = decimal(9, 2)
    inner = host([1, None, -(10**9) + 1, 5], price)
    table = pa.table(
        {
            "d": inner,
            "s": pa.StructArray.from_arrays([inner, inner], ["d", "e"]),
            "l": pa.array([[v] for v in inner.to_pylist()], pa.list_(inner.type)),
            "m": pa.array([[(1, v)] for v in inner.to_pylist()], pa.map_(pa.int32(), inner.type)),
            "s.d": pa.array([1, 2, 3, 4]),
            "after": inner.cast(pa.decimal128(18, 2)),
        }
    )
    path = write(tmp_path / "1.parquet", table, store_decimal_as_integer=True)
    element = ArrayType("array", price, True)
    struct = StructType("struct", (StructField("d", price, True), StructField("e", price, True)))
    names, types = ["after", "l", "d", "s"], [decimal(18, 2), element, price, struct]
    (arrays, _), *_ = k.parquet.read([(LocalFile(path), [0])], names, types, 100)
    outside = [
        k.columns.to_arrow(data, type).to_pylist() for data, type in zip(arrays, types, strict=True)
    ]
    assert outside == [table.column(name).to_pylist() for name in names]


@pytest.mark.parametrize("spread", [4, 5000])
def test_texts_with_and_without_dictionary(k: Kernels, tmp_path: Path, spread: int) -> None:
    rows = [None if i % 11 == 0 else f"päd {i % spread}" for i in range(6000)]
    for number, dictionary in enumerate((True, False)):
        path = write(
            tmp_path / f"{number}.parquet",
            pa.table({"s": rows}),
            use_dictionary=dictionary,
            dictionary_pagesize_limit=2000,
            row_group_size=2500,
        )
        (found,), _ = read(k, [(path, [0, 1, 2])], {"s": STRING}, 1700)
        assert found == rows


@pytest.mark.parametrize("distinct", [3, 400])
@pytest.mark.parametrize("dictionary", [True, False])
def test_batches_of_long_texts_have_fewer_rows(
    k: Kernels, tmp_path: Path, distinct: int, *, dictionary: bool
) -> None:
    if k.device.name == "gpu":
        pytest.skip("a device has batches of its own size")
    rows = [None if i % 11 == 0 else f"{i % distinct:05000}" for i in range(4000)]
    table = pa.table({"s": rows, "n": range(4000)})
    # A dictionary of 400 texts is too large, so that the last rows are plain.
    path = write(tmp_path / "t", table, use_dictionary=dictionary, row_group_size=1500)
    most = 1 << 20
    found: list[Any] = []
    for (data, numbers), _ in k.parquet.read(
        [(LocalFile(path), [0, 1, 2])], ["s", "n"], [STRING, LONG], 1000, most
    ):
        assert k.columns.nbytes(data) + k.columns.nbytes(numbers) < 2 * most
        found += zip(values(k, data, STRING), values(k, numbers, LONG), strict=True)
    assert found == list(zip(rows, range(4000), strict=True))


@pytest.mark.parametrize("width", [1, 2, 3, 16])
def test_texts_of_one_length(k: Kernels, tmp_path: Path, width: int) -> None:
    rows = ["ABC"[i * i % 3] * width for i in range(3000)]
    holes = [None if i % 5 == 0 else text for i, text in enumerate(rows)]
    path = write(tmp_path / "1.parquet", pa.table({"s": rows, "n": holes}), row_group_size=1100)
    found, _ = read(k, [(path, [0, 1, 2])], {"s": STRING, "n": STRING}, 800)
    assert found == [rows, holes]


def test_a_long_row_group_is_not_decoded_at_once(k: Kernels, tmp_path: Path) -> None:
    rows = 1_000_000
    numbers = pa.array([i * 7919 % 1_000_003 for i in range(rows)], pa.int64())
    texts = pa.array([f"{i:024}" for i in range(rows)])
    table = pa.table({"n": numbers, "s": texts})
    path = write(tmp_path / "1.parquet", table, row_group_size=rows, use_dictionary=False)
    before = pa.total_allocated_bytes()
    most, found = 0, []
    for (data, _), (count,) in k.parquet.read(
        [(LocalFile(path), [0])], ["n", "s"], [LONG, STRING], 20_000
    ):
        most = max(most, pa.total_allocated_bytes() - before)
        found.append(k.columns.to_arrow(data, LONG))
        assert count <= 20_000
    assert pa.chunked_array(found).equals(pa.chunked_array([numbers]))
    kept = sum(part.nbytes for part in found)
    assert most < kept + table.nbytes // 4


def test_old_timestamps(k: Kernels, tmp_path: Path) -> None:
    # the years 0001, 1600, 1969, 2024 and 9999: pyarrow can write only some of them as INT96
    rows = [-62_135_596_800_000_000, -11_676_096_000_000_000, -1_001_000, None,
            1_709_210_096_123_456, 253_402_300_799_000_000]  # fmt: skip
    thousandths = [None if v is None else v // 1000 * 1000 for v in rows]
    old: list[tuple[dict[str, Any], list[Any]]] = [
        ({"use_deprecated_int96_timestamps": True}, rows[2:5]),
        ({"coerce_timestamps": "ms"}, thousandths),
        ({"coerce_timestamps": "us"}, rows),
        ({"version": "1.0"}, rows),
    ]
    for number, (options, expected) in enumerate(old):
        table = pa.table({"t": host(expected, TIMESTAMP)})
        path = write(tmp_path / f"{number}.parquet", table, **options)
        (found,), _ = read(k, [(path, [0])], {"t": TIMESTAMP})
        assert found == expected


def test_nanoseconds(k: Kernels, tmp_path: Path) -> None:
    table = pa.table({"t": pa.array([1_999, -1, None], pa.timestamp("ns", "UTC"))})
    path = write(tmp_path / "1.parquet", table)
    (found,), _ = read(k, [(path, [0])], {"t": TIMESTAMP})
    assert found == [1, -1, None]


def test_integers_of_other_widths(k: Kernels, tmp_path: Path) -> None:
    table = pa.table(
        {
            "byte": pa.array([1, None, -128], pa.int32()),
            "long": pa.array([1, None, -(2**31)], pa.int32()),
            "unsigned": pa.array([1, None, 2**32 - 1], pa.uint32()),
        }
    )
    path = write(tmp_path / "1.parquet", table)
    types = {"byte": BYTE, "long": LONG, "unsigned": LONG}
    found, _ = read(k, [(path, [0])], types)
    assert found == [[1, None, -128], [1, None, -(2**31)], [1, None, 2**32 - 1]]


def test_layouts_differ_between_files(k: Kernels, tmp_path: Path) -> None:
    one = write(tmp_path / "1.parquet", pa.table({"b": [1, 2], "a": [0.5, None]}))
    two = write(tmp_path / "2.parquet", pa.table({"a": [1.5], "x": ["?"], "b": [3]}))
    (b, a), counts = read(k, [(one, [0]), (two, [0])], {"b": LONG, "a": DOUBLE})
    assert (b, a) == ([1, 2, 3], [0.5, None, 1.5])
    assert [sum(rows) for rows in zip(*counts, strict=True)] == [2, 1]
    narrow = pa.table({"d": pa.array([Decimal("1.50")], pa.decimal128(7, 2))})
    broad = pa.table({"d": pa.array([Decimal("2.50"), None], pa.decimal128(20, 2))})
    three = write(tmp_path / "3.parquet", narrow, store_decimal_as_integer=True)
    four = write(tmp_path / "4.parquet", broad)
    (d,), _ = read(k, [(three, [0]), (four, [0])], {"d": decimal(20, 2)})
    assert d == [150, 250, None]


def test_names(k: Kernels, tmp_path: Path) -> None:
    names = ["plain", "with space", "ünï", "A", "a", "b.c", "`tick`"]
    table = pa.table({name: [i] for i, name in enumerate(names)})
    path = write(tmp_path / "1.parquet", table)
    for name in names:
        (found,), _ = read(k, [(path, [0])], {name: LONG})
        assert found == [names.index(name)]
    found, _ = read(k, [(path, [0])], dict.fromkeys(reversed(names), LONG))
    assert found == [[i] for i in reversed(range(len(names)))]


def test_nested_columns(k: Kernels, tmp_path: Path) -> None:
    type = ArrayType("array", INTEGER, True)
    layout = pa.list_(pa.field("element", pa.int32()))
    rows = [[1, None], None, [], [2]]
    struct = pa.array([{"n": 1, "m": 2}] * 4)
    table = pa.table({"s": struct, "l": pa.array(rows, layout), "n": [5, 6, 7, 8]})
    path = write(tmp_path / "1.parquet", table, row_group_size=3)
    found = []
    for arrays, _ in k.parquet.read([(LocalFile(path), [0, 1])], ["n", "l"], [LONG, type], 2):
        assert len(arrays) == 2
        found += k.columns.to_arrow(arrays[1], type).to_pylist()
    assert found == rows


def test_a_file_that_has_changed(k: Kernels, tmp_path: Path) -> None:
    path = write(tmp_path / "1.parquet", pa.table({"n": [1, 2]}))
    assert read(k, [(path, [0])], {"n": LONG})[0] == [[1, 2]]
    write(tmp_path / "1.parquet", pa.table({"n": [3, 4, 5]}))
    assert read(k, [(path, [0])], {"n": LONG})[0] == [[3, 4, 5]]


def test_wide_decimals_of_small_values(k: Kernels, tmp_path: Path) -> None:
    table = pa.table({"d": host([1, None, -2], decimal(38, 0))})
    path = write(tmp_path / "1.parquet", table)
    (arrays, _), *_ = k.parquet.read([(LocalFile(path), [0])], ["d"], [decimal(38, 0)], 1000)
    assert digits(k, arrays[0]) == [1, None, -2]
