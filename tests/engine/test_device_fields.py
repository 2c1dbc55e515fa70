"""CSV pieces that are read on the device, against the host's reader of the same splits."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.expressions.programs import Programs
from broadhead.files.input_file import LocalFile
from broadhead.kernels.load import MODULES, load_kernels
from broadhead.operators.context import Run, Split
from broadhead.operators.scan.csv import device_lines
from broadhead.operators.scan.file_scan import file_scan
from broadhead.plan import nodes
from broadhead.types import parse_type
from cupy_stand_in import COMPILER, field_kernels
from engine.fragments import MemorySources, attributes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TYPES = (
    "long", "integer", "short", "byte", "decimal(7,2)", "decimal(18,4)", "double", "boolean",
    "date", "timestamp", "timestamp_ntz", "string",
)  # fmt: skip

TEXTS = (
    "", "0", "1", "-1", "-0", "007", "12", "127", "128", "-128", "-129", "32768", "2147483647",
    "2147483648", "9223372036854775807", "999999999999999999", "1.5", "-1.25", ".5", "5.", "1.234",
    "99999.99", "100000.00", "1e5", "NaN", "true", "FALSE", "True", "yes", "2020-02-29",
    "2019-02-29", "0999-12-31", "1000-01-01", "9999-12-31", "1582-10-10", "2020-1-1",
    "2020-02-29 12:34:56", "2020-02-29T12:34:56", "2020-02-29 12:34:56.123456",
    "1969-12-31 23:59:59.9", "2020-02-29 24:00:00", "2020-02-29T12:34:56Z", "NULL", "null", "a",
    "ä€😀", "#x", " ", "x y", "-", "+1", "1-1",
)  # fmt: skip


class Parser:
    """Stands for Spark's parser: the lines that reach it, as rows of nulls."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def rows(
        self, scan: int, lines: Sequence[bytes], schema: pa.Schema
    ) -> tuple[Any, pa.RecordBatch]:
        self.lines += lines
        empty = [pa.nulls(len(lines), field.type) for field in schema]
        return np.ones(len(lines), np.int64), pa.RecordBatch.from_arrays(empty, schema=schema)


def options(types: Sequence[str], **changed: Any) -> dict[str, Any]:
    found = {
        "anyLineEnd": True,
        "multiLine": False,
        "columns": [
            {"name": f"c{n}", "type": type_, "position": n} for n, type_ in enumerate(types)
        ],
        "fields": len(types),
        "header": False,
        "separator": ",",
        "quote": '"',
        "escape": "\\",
        "comment": None,
        "nullValue": "",
        "emptyValue": "",
        "trimsStart": False,
        "trimsEnd": False,
        "mostFields": 20480,
        "mostCharacters": -1,
        "isParsed": True,
        "everyLineIsARow": True,
        "dateFormat": None,
        "timestampFormat": None,
        "timestampNtzFormat": None,
        "timeZone": "UTC",
    }
    return {**found, **changed}


@pytest.fixture(scope="module")
def fields() -> Any:
    if COMPILER is None:
        pytest.skip("there is no C++ compiler for the source of the kernels")
    return field_kernels()


ZONE = nodes.Zone((0,), (3_600, 7_200))


def read(path: Path, found: dict[str, Any], splits: Sequence[Split], fields: Any) -> Any:
    """The rows by their first columns, and the lines for Spark's parser."""
    k = load_kernels("arrow")
    if fields is not None:
        own = {name: getattr(k, name) for name in MODULES}
        k = SimpleNamespace(**{**own, "fields": fields})  # type: ignore[assignment]
    names = {column["name"]: parse_type(column["type"]) for column in found["columns"]}
    node = nodes.FileScan(
        id=0,
        children=(),
        output=attributes(**names),
        format="csv",
        options=found,
        data_columns=tuple(names),
        partition_columns=(),
        partition_ordinals=(),
        filters=(),
        filter_columns=(),
    )
    parser = Parser()
    sources, programs = MemorySources(files={0: splits}), Programs({"UTC": ZONE})
    run = Run(line_parser=parser).started(k, nodes.Settings(), sources, programs, lambda: path)
    rows = {}
    for batch in file_scan(node, run):
        columns = [k.columns.to_arrow(column.data, column.type) for column in batch.columns]
        for row in zip(*(column.to_pylist() for column in columns), strict=True):
            if row[0] is not None:
                assert row[0] not in rows
                rows[row[0]] = repr(row)
    return rows, parser.lines


def splits_of(path: Path, parts: int) -> list[Split]:
    size = path.stat().st_size
    step = max(1, -(-size // parts))
    return [
        Split(LocalFile(str(path)), start, min(step, size - start), ())
        for start in range(0, size, step)
    ]


def same(path: Path, found: dict[str, Any], fields: Any, parts: int = 1) -> int:
    """How many rows of the device were compared; Spark's parser has all other lines."""
    fields.rows.clear()
    splits = splits_of(path, parts)
    expected, own = read(path, found, splits, None)
    rows, odd = read(path, found, splits, fields)
    assert len(expected) + len(own) == len(rows) + len(odd)
    for key in expected.keys() & rows.keys():
        assert rows[key] == expected[key]
    return sum(fields.rows) - (len(odd) if fields.rows else 0)


def lines_of(seed: int, types: Sequence[str], texts: Sequence[str], end: str, count: int) -> str:
    draw = random.Random(seed)
    rows = ([str(n), *(draw.choice(texts) for _ in types[1:])] for n in range(count))
    return "".join(",".join(row) + end for row in rows)


@pytest.mark.parametrize("type_", TYPES)
def test_every_text_of_a_type(fields: Any, tmp_path: Path, type_: str) -> None:
    """One odd text among twenty plain ones, so that the device keeps the block."""
    path = tmp_path / "a.csv"
    lines, number = [], 0
    for text in TEXTS:
        for value in (text, *[""] * 20):
            lines.append(f"{number},{value}\n")
            number += 1
    path.write_text("".join(lines), encoding="utf-8")
    compared = same(path, options(["long", type_]), fields)
    assert compared >= 20 * len(TEXTS)


@pytest.mark.parametrize("pattern", ["yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss"])
def test_patterns_of_timestamps(fields: Any, tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "a.csv"
    between = "T" if "T" in pattern else " "
    good = [f"2020-02-{day:02}{between}01:02:03" for day in range(1, 28)]
    path.write_text(lines_of(1, "abc", good, "\n", 200) + "999,2020-02-29 12:34:56,\n")
    found = options(
        ["long", "timestamp", "timestamp_ntz"], timestampFormat=pattern, timestampNtzFormat=pattern
    )
    assert same(path, found, fields) >= 200


@pytest.mark.parametrize("seed", range(6))
def test_splits_and_ends_of_lines(fields: Any, tmp_path: Path, seed: int) -> None:
    path = tmp_path / "a.csv"
    end = ["\n", "\r\n"][seed % 2]
    types = ["long", "string", "decimal(7,2)"]
    text = lines_of(seed, types, ["", "1", "22.5", "-3"], end, 300)
    header = "c0,c1,c2" + end if seed % 3 == 0 else ""
    text = header + (text if seed < 4 else text.removesuffix(end))
    path.write_bytes(b"\xef\xbb\xbf" * (seed == 1) + text.encode())
    found = options(types, header=bool(header))
    # the host reads the last piece if all lines but the last end with CR and LF
    assert same(path, found, fields, parts=1 + 3 * seed) >= 280


@pytest.mark.parametrize("size", [7, 23, 37, 400])
def test_all_ends_of_lines_across_splits(fields: Any, tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{n},{'x' * (n % 23)}" for n in range(150)]
    text = "".join(row + ["\n", "\r\n", "\r"][n % 3] for n, row in enumerate(rows))
    path.write_bytes(text.encode())
    found = options(["long", "string"])
    splits = splits_of(path, -(-len(text) // size))
    assert read(path, found, splits, fields) == read(path, found, splits, None)
    assert len(read(path, found, splits, fields)[0]) == 150


def test_a_header_alone(fields: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("c0,c1\n")
    assert same(path, options(["long", "string"], header=True), fields) == 0


@pytest.mark.parametrize("seed", range(8))
def test_quotes_and_chunks(fields: Any, tmp_path: Path, seed: int) -> None:
    """Quotes at all places of the chunks that one thread divides."""
    path = tmp_path / "a.csv"
    texts = ['"a,b"', '""', '"' + "x," * 40 + '"', "", "plain", '"ä"']
    path.write_text(lines_of(seed, "abc", texts, "\n", 100), encoding="utf-8")
    assert same(path, options(["long", "string", "string"]), fields) == 100


@pytest.mark.parametrize(
    "text",
    [
        '0,"a,b",1\n1,c,2\n2,"",3\n',
        '0,"a""b",1\n1,c,2\n',
        '0,a"b,1\n1,"c,2\n2,d,3\n',
        '0,"a",1\n1,\\,2\n',
        "0,a,1\n\n1,b,2\n",
        "0,a,1\n1,b\n2,c,3,4\n",
        "0,a,1\n#1,b,2\n2,c,3\n",
        "0,a\0b,1\n1,b,2\n",
        "0,a,1\r1,b,2\n2,c,3\n",
        "0,long text,1\n1,b,2\n",
        "",
        "\n",
    ],
    ids=lambda text: repr(text)[:20],
)
@pytest.mark.parametrize("changed", [{}, {"emptyValue": "x"}, {"comment": "#"}], ids=str)
def test_lines_that_are_not_plain(
    fields: Any, tmp_path: Path, text: str, changed: dict[str, Any]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8", newline="")
    same(path, options(["long", "string", "integer"], **changed), fields)
    same(path, options(["long", "string", "integer"], mostCharacters=8, **changed), fields)


def test_quotes_around_fields(fields: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('0,"a,b",1\n1,c,"2"\n2,"",3\n3,"ä #",4\n', encoding="utf-8")
    assert same(path, options(["long", "string", "integer"]), fields) == 4


def test_text_that_is_not_utf8(fields: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"0,a\n1,\xff\n2,\xc3\xa4\n")
    assert same(path, options(["long", "string"]), fields) == 0


def test_pieces_of_a_split(fields: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces that end within lines; one has a line that the host must read."""
    monkeypatch.setattr(device_lines, "GPU_BLOCK_BYTES", 100)
    monkeypatch.setattr(device_lines, "_BYTES_AFTER", 20)
    path = tmp_path / "a.csv"
    rows = [f"{n},{'x' * (n % 17)}" for n in range(200)]
    rows[77] = '77,"quo""ted"'
    path.write_text("c0,c1\n" + "\n".join(rows) + "\n")
    found = options(["long", "string"], header=True)
    assert 100 < same(path, found, fields) < 199
    assert 100 < same(path, found, fields, parts=3) < 199


def test_a_header_in_a_later_piece(
    fields: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_lines, "GPU_BLOCK_BYTES", 10)
    path = tmp_path / "a.csv"
    path.write_text("\n" * 30 + "c0,c1\n0,a\n1,b\n")
    assert same(path, options(["long", "string"], header=True), fields) == 0


def test_most_texts_are_unparsed(fields: Any, tmp_path: Path) -> None:
    """Then the host reads the block, whose conversions know more texts."""
    path = tmp_path / "a.csv"
    path.write_text(lines_of(3, "ab", ["2020-01-01T00:00:00Z"], "\n", 50))
    assert same(path, options(["long", "timestamp"]), fields) == 0
