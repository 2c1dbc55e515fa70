"""Which columns of a Parquet file have a dictionary, and the extremes of its texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.files import parquet_writer
from broadhead.files.parquet_writer import ParquetWriter

OPTIONS = {
    "compression": "snappy",
    "dictionary": True,
    "int96": False,
    "fieldIds": [],
    "metadata": {"made": "here"},
}
ROWS = 100_000


def _with_dictionary(columns: dict[str, pa.Array], *, dictionary: bool = True) -> set[str]:
    """The columns with a dictionary in a file of these, which is read back."""
    table = pa.table(columns)
    writer = ParquetWriter(table.schema, {**OPTIONS, "dictionary": dictionary})
    parts = [part for batch in table.to_batches(10_000) for part in writer.write(batch)]
    file = pq.ParquetFile(pa.BufferReader(b"".join([*parts, *writer.close()])))
    assert file.read().equals(table)
    assert file.metadata.metadata[b"made"] == b"here"
    if not table.num_rows:
        return set()
    group = file.metadata.row_group(0)
    found = [group.column(position) for position in range(group.num_columns)]
    return {column.path_in_schema for column in found if column.has_dictionary_page}


def test_values_that_do_not_occur_again_have_none() -> None:
    each = np.random.default_rng(1).permutation(ROWS)
    columns = {
        "each": pa.array(each),
        "text.each": pa.array([f"value {number}" for number in each]),
        "some": pa.array(each % 5000),
        "nulls": pa.array([number if number % 10 else None for number in each.tolist()]),
        "once": pa.array(np.arange(ROWS) % 10_000),
    }
    assert _with_dictionary(columns) == {"some", "nulls", "once"}
    assert _with_dictionary(columns, dictionary=False) == set()


def test_few_rows_and_columns_with_fields_have_one() -> None:
    few = pa.array(range(1000))
    assert _with_dictionary({"few": few}) == {"few"}
    assert _with_dictionary({"none": few[:0]}) == set()
    lists = pa.array([[number] for number in range(ROWS)])
    assert _with_dictionary({"n": pa.array(range(ROWS)), "l": lists}) >= {"n"}


TEXTS: dict[str, list[list[bytes | None]]] = {
    "some": [[b"b", None, b"ab"], [b"a", b""], [None]],
    "nulls": [[None, None], [None]],
    "none": [[]],
    "one": [[b"x"], [b"x", b"x"]],
    "long": [[b"a" * 5000, b"c" * 4097, b"b"], [b"bb", b"d"], [b"e" * 4096]],
    "long least": [[b"a" * 4097, b"b"], [b"ab", None]],
    "not UTF-8": [[b"\xff", b"\xc3\xa9"], [b"\x00", b"z"]],
}


@pytest.mark.parametrize("parts", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("group_bytes", [1, 1 << 20], ids=["groups", "one group"])
def test_extremes_of_texts(
    monkeypatch: pytest.MonkeyPatch, parts: list[list[bytes | None]], group_bytes: int
) -> None:
    monkeypatch.setattr(parquet_writer, "ROW_GROUP_BYTES", group_bytes)
    schema = pa.schema([("n", pa.int64()), ("text", pa.string()), ("same", pa.string())])
    writer = ParquetWriter(schema, OPTIONS, [1, 2])
    for part in parts:
        texts = pa.array(part, pa.binary()).view(pa.string())
        columns = [pa.array(range(len(part)), pa.int64()), texts, pa.array(["t"] * len(part))]
        list(writer.write(pa.record_batch(columns, schema=schema)))
    list(writer.close())
    values = [text for part in parts for text in part if text is not None]
    expected = (min(values), max(values)) if values else (None, None)
    assert writer.text_extremes(1) == expected
    assert writer.text_extremes(2) == ((b"t", b"t") if any(parts) else (None, None))
