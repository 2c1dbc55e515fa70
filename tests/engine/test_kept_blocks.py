"""Shuffled rows that a process keeps: their sizes, their ranges, and their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.operators.kept_blocks import KEPT, KeptRange, MapOutput
from broadhead.plan import exchanges, nodes
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.types import LONG, STRING, DataType
from broadhead.worker.shuffle_file import write_kept_file
from engine.fragments import MemorySources, attributes, column, kernels_under_test, run_rows

TYPES: dict[str, DataType] = {"id": LONG, "text": STRING}
PARTITIONS = 5


@pytest.fixture
def output() -> MapOutput:
    """The map output of 1,000 rows in batches of 300, partitioned by `id`."""
    batches = [
        pa.RecordBatch.from_pydict(
            {
                "id": pa.array(range(start, min(start + 300, 1000))),
                "text": [
                    None if n % 7 == 0 else f"t{n}" for n in range(start, min(start + 300, 1000))
                ],
            }
        )
        for start in range(0, 1000, 300)
    ]
    source = nodes.RowSource(id=1, output=attributes(**TYPES), children=(), source=0)
    root = exchanges.ShuffleWrite(
        id=0,
        output=attributes(**TYPES),
        children=(source,),
        partitioning=exchanges.HashPartitioning(PARTITIONS, (column(0, LONG),)),
    )
    kept = MapOutput(kernels_under_test(), tuple(TYPES.values()), PARTITIONS)
    assert run_rows(root, MemorySources({0: batches}), context=Run(kept_output=kept)) == []
    return kept


def read(ranges: list[KeptRange], wanted: tuple[int, ...] = (0, 1)) -> list[tuple[object, ...]]:
    names = list(TYPES)
    node = exchanges.ShuffleRead(
        id=0,
        output=attributes(**{names[n]: TYPES[names[n]] for n in wanted}),
        children=(),
        source=3,
        types=tuple(TYPES.values()),
        wanted=wanted,
    )
    context = Run(kept_ranges={3: ranges}, shuffled={3: iter(())})
    return run_rows(node, MemorySources(), context=context)


def test_each_row_is_in_one_partition(output: MapOutput) -> None:
    KEPT.put("all", output)
    found = [read([KeptRange("all", n, n + 1)]) for n in range(PARTITIONS)]
    assert sorted(row[0] for rows in found for row in rows) == list(range(1000))
    assert all(text == (None if n % 7 == 0 else f"t{n}") for rows in found for n, text in rows)
    together = read([KeptRange("all", 0, PARTITIONS)])
    assert sorted(together) == sorted(row for rows in found for row in rows)


def test_columns_are_chosen(output: MapOutput) -> None:
    KEPT.put("some", output)
    texts = [row[0] for row in read([KeptRange("some", 0, PARTITIONS)], (1,))]
    assert len(texts) == 1000
    assert texts.count(None) == 143


def test_a_partition_without_rows_has_no_bytes(output: MapOutput) -> None:
    lengths = output.lengths()
    assert len(lengths) == PARTITIONS
    counts = sum(np.diff(part.offsets) for part in output.parts)
    assert [length > 0 for length in lengths] == [count > 0 for count in counts]
    assert output.rows == 1000
    assert output.data_size() >= 1000 * 24


def test_the_file_has_the_same_rows(output: MapOutput, tmp_path: Path) -> None:
    KEPT.put("written", output)
    path = tmp_path / "shuffle"
    lengths = write_kept_file(output, str(path))
    assert sum(lengths) == path.stat().st_size
    start = 0
    for partition, length in enumerate(lengths):
        segment = Segment(str(path), start, length)
        rows = [
            tuple(row)
            for batch in read_rows([segment], list(TYPES.values()), [0, 1], 1000)
            for row in zip(*(array.to_pylist() for array in batch.arrays), strict=True)
        ]
        assert sorted(rows) == sorted(read([KeptRange("written", partition, partition + 1)]))
        start += length


def test_dropped_rows_are_not_found(output: MapOutput) -> None:
    KEPT.put("gone", output)
    KEPT.drop(["gone", "unknown"])
    with pytest.raises(KeyError, match="gone"):
        KEPT.get("gone")
