"""The batches that Python functions get: as many rows as Spark gives them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from broadhead.operators.python.function_inputs import in_batches


def batches(*lengths: int) -> list[pa.RecordBatch]:
    rows = iter(range(sum(lengths)))
    columns = [[next(rows) for _ in range(length)] for length in lengths]
    return [pa.record_batch([pa.array(column, pa.int64())], ["n"]) for column in columns]


@pytest.mark.parametrize(
    ("lengths", "rows", "expected"),
    [
        ((5, 5, 5), 4, [4, 4, 4, 3]),
        ((1, 1, 1), 3, [3]),
        ((0, 7, 0), 7, [7]),
        ((10,), 3, [3, 3, 3, 1]),
        ((2, 0, 9), 5, [5, 5, 1]),
        ((4, 4), None, [8]),
        ((0,), None, []),
        ((), 5, []),
    ],
)
def test_batches_have_sparks_limits(
    lengths: tuple[int, ...], rows: int | None, expected: list[int]
) -> None:
    given = list(in_batches(batches(*lengths), rows))
    assert [batch.num_rows for batch in given] == expected
    assert [n for batch in given for n in batch.column(0).to_pylist()] == list(range(sum(lengths)))
