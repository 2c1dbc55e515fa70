"""Batches that are held back, so that Spark's own operators can still answer in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.worker.results import FRAME_BYTES, BatchLimits, held_back

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = pa.record_batch({"a": list(range(10))})


def batches(made: list[int]) -> Iterator[pa.RecordBatch]:
    for number in range(5):
        made.append(number)
        yield BATCH


def test_all_are_made_before_the_first_is_given() -> None:
    made: list[int] = []
    for _ in held_back(batches(made), 5 * BATCH.nbytes):
        assert len(made) == 5


def test_beyond_the_limit_they_are_given() -> None:
    made: list[int] = []
    given = held_back(batches(made), 2 * BATCH.nbytes)
    assert next(given) == BATCH
    assert len(made) == 3
    assert len(list(given)) == 4


def test_beyond_the_limit_none_is_given_where_all_are_to_be_held() -> None:
    made: list[int] = []
    with pytest.raises(EngineLimit, match="operatorMemory"):
        next(held_back(batches(made), 2 * BATCH.nbytes, whole=True))
    assert len(list(held_back(batches([]), 5 * BATCH.nbytes, whole=True))) == 5


@pytest.mark.parametrize("row_bytes", [10, FRAME_BYTES // 100, FRAME_BYTES // 3, 2 * FRAME_BYTES])
def test_batches_for_sparks_operators_are_small(row_bytes: int) -> None:
    """A row that is larger is a batch of its own."""
    texts = [str(number) * row_bytes for number in range(10)] * max(1, 10_000 // row_bytes)
    batch = pa.record_batch({"s": texts})
    parts = list(BatchLimits().of(batch))
    assert pa.Table.from_batches(parts).equals(pa.Table.from_batches([batch]))
    assert all(part.nbytes < 1.1 * FRAME_BYTES or part.num_rows == 1 for part in parts)
