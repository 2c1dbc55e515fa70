"""Lines of table files, written a column at a time: their bytes are those of the values' texts."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.files.csv_writer import CsvForm
from broadhead.files.json_writer import JsonForm
from broadhead.files.line_cells import cells_of
from broadhead.files.line_parts import assembled, constant, varying
from broadhead.files.line_texts import Around
from broadhead.files.line_writer import LineWriter, TextForm

CSV = {
    "header": "", "separator": ",", "quote": '"', "escape": "\\", "escapeOfEscape": "\0",
    "comment": "\0", "nullValue": "", "emptyValue": '""', "quoteAll": False, "escapeQuotes": True,
    "trimsStart": True, "trimsEnd": True,
}  # fmt: skip
LEAST_LONG, GREATEST_LONG = -(2**63), 2**63 - 1


def written(form: Any, columns: list[pa.Array]) -> str:
    batch = pa.record_batch(columns, names=[f"c{n}" for n in range(len(columns))])
    writer = LineWriter(form)
    # a slice that does not begin with its arrays
    chunks = [bytes(c) for part in (batch.slice(0, 3), batch.slice(3)) for c in writer.write(part)]
    return b"".join([*chunks, *writer.close()]).decode()


def csv(columns: list[pa.Array], **options: Any) -> list[str]:
    strings = [pa.types.is_string(column.type) for column in columns]
    return written(CsvForm({**CSV, "strings": strings, **options}), columns).splitlines()


@pytest.mark.parametrize("seed", range(4))
def test_pieces_of_any_widths(seed: int) -> None:
    random = Random(seed)
    count = 200
    pieces, texts = [], [b""] * count
    for number in range(random.randint(1, 12)):
        letter = bytes([ord("a") + number])
        size = random.choice((1, 2, 7, 8, 31, 64))
        rows = np.flatnonzero(np.random.default_rng(seed).random(count) < random.choice((0.1, 2)))
        widths = np.array([random.randint(0, size) for _ in rows], np.uint8)
        if random.random() < 0.3:
            pieces += constant(letter * 3, rows if len(rows) < count else None)
            widths[:] = 3
        else:
            # what is after a text would be seen
            parts = [(letter * width).ljust(size, b"!") for width in widths]
            items = np.frombuffer(b"".join(parts), f"V{size}")
            pieces.append(varying(items, widths, rows if len(rows) < count else None))
        for row, width in zip(rows, widths, strict=True):
            texts[row] += letter * int(width)
    assert assembled(pieces, count).tobytes() == b"".join(texts)


INTEGERS = [
    0, 1, -1, 9, 10, -10, 999, 1000, 9999, 10_000, 9_999_999, 10**7, 10**8 - 1, 10**8, -(10**8),
    10**15, 10**16 - 1, 10**16, 10**16 + 5, 10**18, GREATEST_LONG, LEAST_LONG, None,
]  # fmt: skip


FEW = [[7, None] * 600, [GREATEST_LONG] * 40, [LEAST_LONG] * 41, list(range(-300, 300)) * 4]


@pytest.mark.parametrize("chosen", [INTEGERS, INTEGERS[:10], INTEGERS[:13], *FEW], ids=len)
@pytest.mark.parametrize("after", [b",", b"", b'",'], ids=repr)
def test_integers(chosen: list[int | None], after: bytes) -> None:
    values = pa.array(chosen, pa.int64())
    cells = cells_of(values, Around(b"<", after, b"-;"))
    pieces = list(cells.parts(1, len(chosen)))
    expected = ["-;" if n is None else f"<{n}{after.decode()}" for n in chosen[1:]]
    assert assembled(pieces, len(chosen) - 1).tobytes().decode() == "".join(expected)


@pytest.mark.parametrize("scale", range(7))
@pytest.mark.parametrize("rows", [1, 400])
def test_decimals(scale: int, rows: int) -> None:
    unscaled = [0, 1, -1, 5, -12, 99, -100, 1234567, -(10**17), 10**18 - 1, 1 - 10**18, None]
    for numbers in (unscaled, unscaled[:6], unscaled[:1]):
        chosen = [None if n is None else Decimal(n).scaleb(-scale) for n in numbers] * rows
        lines = csv([pa.array(chosen, pa.decimal128(18, scale)), pa.array([1] * len(chosen))])
        assert lines == [f"{'' if value is None else f'{value:f}'},1" for value in chosen]


def test_days() -> None:
    days = [0, 1, -1, -719_528, 2_932_896, None, 11_016]
    texts = ["1970-01-01", "1970-01-02", "1969-12-31", "0000-01-01", "9999-12-31", "", "2000-02-29"]
    far = {2_932_897: "+10000-01-01", -719_529: "-0001-12-31", 2**31 - 1: "+5881580-07-11"}
    ones = pa.array([1] * 40)
    for numbers, expected in ((days, texts), ([*days, *far], [*texts, *far.values()]), ([3], None)):
        chosen = (numbers * 40)[:40]
        lines = csv([pa.array(chosen, pa.int32()).view(pa.date32()), ones])
        assert lines == [f"{text},1" for text in ((expected or ["1970-01-04"]) * 40)[:40]]


@pytest.mark.parametrize("longest", [1, 8, 63, 64, 65, 130, 1024, 1025, 5000])
def test_texts_of_any_length(longest: int) -> None:
    random = Random(longest)
    lengths = [longest, 0, 1, *(random.choice((longest, random.randint(0, longest))) for _ in "12")]
    texts = ["".join(random.choices("abcé€", k=length)) for length in lengths]
    columns = [pa.array([*texts, None]), pa.array([None, *texts[::-1]])]
    quoted = [[text if text else '""' for text in column] for column in (texts, texts[::-1])]
    pairs = zip([*quoted[0], ""], ["", *quoted[1]], strict=True)
    assert csv(columns) == [",".join(pair) for pair in pairs]
    lines = written(TextForm({"lineSeparator": "|"}), columns[:1])
    assert lines == "".join(f"{text}|" for text in [*texts, ""])


def test_numbers_with_characters_that_need_quotes() -> None:
    days, cents = pa.array([3, None] * 20, pa.int32()).view(pa.date32()), pa.array(range(-20, 20))
    assert csv([cents, days], separator="-")[:2] == ['"-20"-"1970-01-04"', '"-19"-']
    assert csv([cents, days], quoteAll=True)[:2] == ['"-20","1970-01-04"', '"-19",""']


def test_a_single_column_has_no_empty_lines() -> None:
    assert csv([pa.array([1, None, 2, None])]) == ["1", "2"]
    assert csv([pa.array(["a", None, "", " ", "b"])]) == ["a", '""', '""', "b"]
    assert csv([pa.array(["a", None, "", " "])], emptyValue="", nullValue="-") == ["a", "-"]


@pytest.mark.parametrize("nulls", [False, True])
def test_fields_of_objects(*, nulls: bool) -> None:
    columns = [
        pa.array([None, None, 3, 4] * 10),
        pa.array([None, 'a"\n', None, "é"] * 10),
        pa.array([0, 1, 2, None] * 10, pa.int32()).view(pa.date32()),
        pa.array(["NaN", None, "1.5", "-Infinity"] * 10),
    ]
    form = {"names": ["a", 'b"', "c", "d"], "forms": ["plain", "escaped", "quoted", "float"],
            "nulls": nulls, "lineSeparator": "\n"}  # fmt: skip
    lines = written(JsonForm(form), columns).splitlines()
    if nulls:
        assert lines[:2] == [
            '{"a":null,"b\\"":null,"c":"1970-01-01","d":"NaN"}',
            '{"a":null,"b\\"":"a\\"\\n","c":"1970-01-02","d":null}',
        ]
    else:
        assert lines[:4] == [
            '{"c":"1970-01-01","d":"NaN"}', '{"b\\"":"a\\"\\n","c":"1970-01-02"}',
            '{"a":3,"c":"1970-01-03","d":1.5}', '{"a":4,"b\\"":"é","d":"-Infinity"}',
        ]  # fmt: skip
    assert lines[4:] == lines[:36]
