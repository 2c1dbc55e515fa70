"""Statistics of leaf columns in the footers of Parquet files."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.files.leaf_statistics import UNKNOWN_COUNT, LeafStatistics, leaf_statistics


def statistics(folder: Path, array: pa.Array, rows: int = 2, **options: Any) -> LeafStatistics:
    path = folder / "file.parquet"
    pq.write_table(pa.table({"c": array}), path, row_group_size=rows, **options)
    return leaf_statistics(pq.read_metadata(path), 0)


def test_integers(tmp_path: Path) -> None:
    found = statistics(tmp_path, pa.array([3, 1, None, 7, None, None], pa.int32()))
    assert found.kind is int
    assert found.known.tolist() == [True, True, False]
    assert (found.low[:2].tolist(), found.high[:2].tolist()) == ([1, 7], [3, 7])
    assert found.null_count.tolist() == [0, 1, 2]


def test_floating_point(tmp_path: Path) -> None:
    found = statistics(tmp_path, pa.array([0.5, -1.5, math.nan, math.nan]))
    assert found.kind is float
    assert found.known.tolist() == [True, False]
    assert (found.low[0], found.high[0]) == (-1.5, 0.5)


def test_texts(tmp_path: Path) -> None:
    found = statistics(tmp_path, pa.array(["b", "a\0", None, None]))
    assert found.kind is bytes
    assert found.known.tolist() == [True, False]
    assert (found.low[0], found.high[0]) == (b"a\0", b"b")


@pytest.mark.parametrize(
    "array", [pa.array([True, False]), pa.array([Decimal(1), Decimal(2)], pa.decimal128(30, 0))]
)
def test_types_without_bounds(tmp_path: Path, array: pa.Array) -> None:
    found = statistics(tmp_path, array)
    if found.kind is not bytes:
        assert found.kind is None
        assert not found.known.any()


def test_files_without_statistics(tmp_path: Path) -> None:
    found = statistics(tmp_path, pa.array([1, 2, 3]), write_statistics=False)
    assert found.kind is None
    assert found.known.tolist() == [False, False]
    assert found.null_count.tolist() == [UNKNOWN_COUNT, UNKNOWN_COUNT]


def test_files_without_rows(tmp_path: Path) -> None:
    found = statistics(tmp_path, pa.array([], pa.int64()))
    assert len(found.known) == len(found.null_count) <= 1
