"""Footers without the decimals that are stored as integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.files.input_file import LocalFile
from broadhead.files.parquet_footer import open_footer
from broadhead.kernels.arrow import parquet
from broadhead.kernels.arrow.parquet_files.parquet_schema import without_decimals
from broadhead.types import STRING, decimal

INT32, INT64 = 1, 2


def write(path: Path, table: pa.Table, **options: Any) -> str:
    pq.write_table(table, path, store_decimal_as_integer=True, **options)
    return str(path)


def decimals(precision: int, *digits: int) -> pa.Array:
    return pa.array(digits, pa.int64()).cast(pa.decimal128(38, 0)).cast(pa.decimal128(precision, 0))


def encoded(path: str) -> bytes:
    """The encoded footer of a file."""
    whole = Path(path).read_bytes()
    return whole[-8 - int.from_bytes(whole[-8:-4], "little") : -8]


def physical(path: str) -> dict[str, tuple[str, str]]:
    """The physical and the logical type of each leaf."""
    schema = without_decimals(encoded(path)).schema
    columns = [schema.column(i) for i in range(len(schema))]
    return {c.path: (c.physical_type, c.logical_type.type) for c in columns}


def test_only_integers_at_the_top_change(tmp_path: Path) -> None:
    small, large, wide = (decimals(p, 1, -2) for p in (9, 18, 19))
    table = pa.table(
        {
            "small": small,
            "large": large,
            "wide": wide,
            "s": pa.StructArray.from_arrays([small], ["d"]),
            "l": pa.array([[1], []], pa.list_(large.type)),
            "t": pa.array([1, 2], pa.timestamp("ms", "UTC")),
            "u": pa.array([1, 2], pa.uint8()),
            "last": large,
        }
    )
    path = write(tmp_path / "1.parquet", table)
    found = physical(path)
    assert found == {
        "small": ("INT32", "NONE"),
        "large": ("INT64", "NONE"),
        "wide": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL"),
        "s.d": ("INT32", "DECIMAL"),
        "l.list.element": ("INT64", "DECIMAL"),
        "t": ("INT64", "TIMESTAMP"),
        "u": ("INT32", "INT"),
        "last": ("INT64", "NONE"),
    }
    changed, given = without_decimals(encoded(path)), pq.read_metadata(path)
    assert changed.metadata == given.metadata
    assert changed.num_rows == given.num_rows
    assert changed.row_group(0).column(1).total_compressed_size > 0
    schema = changed.schema.to_arrow_schema()
    assert schema.field("small").type == pa.int32()
    assert schema.field("large").type == pa.int64()


def test_many_columns_and_field_ids(tmp_path: Path) -> None:
    fields = [
        pa.field(f"c{i}", pa.decimal128(18, 2), nullable=i % 2 == 0,
                 metadata={"PARQUET:field_id": str(i * 1000)})
        for i in range(300)
    ]  # fmt: skip
    column = decimals(18, 3).cast(pa.decimal128(18, 2), safe=False)
    path = write(tmp_path / "1.parquet", pa.table([column] * 300, pa.schema(fields)))
    schema = without_decimals(encoded(path)).schema.to_arrow_schema()
    assert [f.metadata[b"PARQUET:field_id"] for f in schema] == [
        str(i * 1000).encode() for i in range(300)
    ]
    assert [f.nullable for f in schema] == [f.nullable for f in fields]
    assert set(schema.types) == {pa.int64()}


def number(field: int, value: int) -> bytes:
    """A field of type i32 that names its number in full; the value is below 64."""
    return bytes([5, field * 2, value * 2])


def name(text: str) -> bytes:
    return bytes([8, 4 * 2, len(text)]) + text.encode()


def footer(*elements: bytes) -> bytes:
    """A whole file without rows."""
    root = name("root") + number(5, len(elements)) + b"\0"
    schema = bytes([0x19, (len(elements) + 1) << 4 | 12]) + root + b"".join(elements)
    metadata = b"\x15\x02" + schema + b"\x16\x00\x19\x0c\x00"
    return b"PAR1" + metadata + len(metadata).to_bytes(4, "little") + b"PAR1"


def column(text: str, physical: int, *annotation: bytes, repetition: int = 0) -> bytes:
    type = number(1, physical) + number(3, repetition)
    return type + name(text) + b"".join(annotation) + b"\0"


def test_annotations_of_old_and_new_writers(tmp_path: Path) -> None:
    converted = number(6, 5) + number(7, 2) + number(8, 9)
    logical = bytes([12, 10 * 2, 0x5C, 0x15, 4, 0x15, 18, 0, 0])
    date = number(6, 6)
    path = tmp_path / "1.parquet"
    path.write_bytes(
        footer(
            column("old", INT32, converted),
            column("new", INT64, logical),
            column("both", INT32, converted, logical),
            column("repeated", INT32, converted, repetition=2),
            column("date", INT32, date),
            column("plain", INT64),
        )
    )
    assert pq.read_metadata(path).schema.column(1).logical_type.type == "DECIMAL"
    assert {path: logical for path, (_, logical) in physical(str(path)).items()} == {
        "old": "NONE",
        "new": "NONE",
        "both": "NONE",
        "repeated": "DECIMAL",
        "date": "DATE",
        "plain": "NONE",
    }


@pytest.mark.parametrize("digits", [18, 19, 30])
def test_old_annotations_that_do_not_fit(tmp_path: Path, digits: int) -> None:
    path = Path(write(tmp_path / "1.parquet", pa.table({"d": decimals(18, 7)}), store_schema=False))
    whole = path.read_bytes()
    length = int.from_bytes(whole[-8:-4], "little")
    # precision and logical type, and the precision alone, which pyarrow does not check
    annotation = bytes.fromhex("1524 2c5c150015240000 00")
    data, old = whole[: -8 - length], whole[-8 - length : -8]
    assert old.count(annotation) == 1
    new = old.replace(annotation, bytes([0x15, digits * 2, 0]))
    path.write_bytes(data + new + len(new).to_bytes(4, "little") + b"PAR1")
    assert pq.read_metadata(path).schema.column(0).precision == digits
    ((arrays, _),) = parquet.read([(LocalFile(str(path)), [0])], ["d"], [decimal(38, 0)], 10)
    assert arrays[0].to_pylist() == [7]


def test_damaged_footers(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "1.parquet", pa.table({"d": decimals(9, 1), "s": ["x"]})))
    whole = path.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for position in range(start, min(start + 120, len(whole))):
        for value in (0, 0x19, 0x80, 0xFF):
            path.write_bytes(whole[:position] + bytes([value]) + whole[position + 1 :])
            try:
                without_decimals(encoded(str(path)))
            except (ValueError, IndexError, OSError):
                continue
    for end in (*range(20), len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises((ValueError, IndexError, OSError)):
            open_footer(LocalFile(str(path)))
    path.write_bytes(whole[:-4] + b"PARE")
    with pytest.raises(OSError, match="encrypted"):
        open_footer(LocalFile(str(path)))


def test_a_footer_that_cannot_be_changed_is_used_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(encoded: bytes) -> None:
        raise ValueError(encoded)

    monkeypatch.setattr(
        "broadhead.kernels.arrow.parquet_files.parquet_schema.without_decimals", refuse
    )
    path = write(tmp_path / "1.parquet", pa.table({"d": decimals(9, 1, -2), "s": ["x", "y"]}))
    types = [decimal(9, 0), STRING]
    ((arrays, rows),) = parquet.read([(LocalFile(path), [0])], ["d", "s"], types, 10)
    assert rows == [2]
    assert [a.to_pylist() for a in arrays] == [[1, -2], ["x", "y"]]


def test_decimals_are_read_as_integers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    path = write(tmp_path / "1.parquet", pa.table({"d": decimals(9, 1, -2), "s": ["x", "y"]}))
    real = pq.ParquetFile

    def spy(*arguments: Any, **options: Any) -> pq.ParquetFile:
        file = real(*arguments, **options)
        seen.append(file.schema_arrow.field("d").type)
        return file

    monkeypatch.setattr(pq, "ParquetFile", spy)
    for names, types in ((["d"], [decimal(9, 0)]), (["s"], [STRING])):
        list(parquet.read([(LocalFile(path), [0])], names, types, 10))
    assert seen == [pa.int32(), pa.decimal128(9, 0)]
