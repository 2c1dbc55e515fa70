"""Shuffled rows that a process keeps: their sizes, their ranges, and their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.operators.kept_blocks import KeptBlocks, KeptRange, MapOutput
from broadhead.operators.kept_files import KeptFile, write_kept_file
from broadhead.plan import exchanges, nodes
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.types import LONG, STRING, DataType
from engine.fragments import MemorySources, attributes, column, kernels_under_test, run_rows

TYPES: dict[str, DataType] = {"id": LONG, "text": STRING}
PARTITIONS = 5
ROOM = 1 << 30


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> KeptBlocks:
    """The blocks of the process, none yet."""
    blocks = KeptBlocks()
    monkeypatch.setattr("broadhead.operators.kept_blocks.KEPT", blocks)
    return blocks


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
    made = MapOutput(kernels_under_test(), tuple(TYPES.values()), PARTITIONS)
    assert run_rows(root, MemorySources({0: batches}), context=Run(kept_output=made)) == []
    return made


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


def test_each_row_is_in_one_partition(output: MapOutput, kept: KeptBlocks) -> None:
    kept.put("all", output, ROOM)
    found = [read([KeptRange("all", n, n + 1)]) for n in range(PARTITIONS)]
    assert sorted(row[0] for rows in found for row in rows) == list(range(1000))
    assert all(text == (None if n % 7 == 0 else f"t{n}") for rows in found for n, text in rows)
    together = read([KeptRange("all", 0, PARTITIONS)])
    assert sorted(together) == sorted(row for rows in found for row in rows)


def test_columns_are_chosen(output: MapOutput, kept: KeptBlocks) -> None:
    kept.put("some", output, ROOM)
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


def test_the_file_has_the_same_rows(output: MapOutput, kept: KeptBlocks, tmp_path: Path) -> None:
    kept.put("written", output, ROOM)
    path = tmp_path / "shuffle"
    lengths = write_kept_file(output, path).lengths()
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


def test_dropped_rows_are_not_found(output: MapOutput, kept: KeptBlocks) -> None:
    kept.put("gone", output, ROOM)
    kept.drop(["gone", "unknown"])
    with pytest.raises(KeyError, match="gone"):
        kept.get("gone")


def test_the_oldest_rows_are_moved_to_files_when_memory_is_short(
    output: MapOutput, kept: KeptBlocks, tmp_path: Path
) -> None:
    kept.directory = lambda: tmp_path
    ranges = [KeptRange("old", 1, 3), KeptRange("old", 4, 5)]
    assert not kept.put("old", output, ROOM)
    expected = read(ranges)
    assert kept.put("new", output, output.nbytes)
    assert isinstance(kept.get("old"), KeptFile)
    assert isinstance(kept.get("new"), MapOutput)
    assert sorted(read(ranges)) == sorted(expected)
    assert sorted(read(ranges, (1,)), key=str) == sorted(((row[1],) for row in expected), key=str)
    copied = tmp_path / "copied"
    assert sum(kept.write("old", copied).lengths()) == copied.stat().st_size
    kept.drop(["old", "new"])
    assert list(tmp_path.iterdir()) == [copied]


def test_without_a_directory_rows_stay(output: MapOutput, kept: KeptBlocks) -> None:
    assert kept.put("one", output, 0)
    assert kept.get("one") is output


def test_rows_dropped_while_they_are_moved_leave_no_file(output: MapOutput, tmp_path: Path) -> None:
    kept = KeptBlocks()

    def directory() -> Path:
        kept.drop(["one"])
        return tmp_path

    kept.directory = directory
    kept.put("one", output, 0)
    assert list(tmp_path.iterdir()) == []


def test_a_file_has_empty_partitions_and_may_have_no_rows(tmp_path: Path) -> None:
    made = MapOutput(kernels_under_test(), (LONG,), 3)
    assert list(write_kept_file(made, tmp_path / "no-rows").rows(0, 3, (0,), 10)) == []
    made.add([made.kernels.columns.sequence(3)], np.array([0, 3, 3, 3]))
    file = write_kept_file(made, tmp_path / "one-partition")
    assert list(file.rows(1, 3, (0,), 10)) == []
    assert [rows.length for rows in file.rows(0, 2, (0,), 10)] == [3]
