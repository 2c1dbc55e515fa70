"""Which columns of a Parquet file have a dictionary."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

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
