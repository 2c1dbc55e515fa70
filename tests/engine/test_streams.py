"""A task's splits shared out to several streams."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from broadhead.aggregates.registry import aggregates
from broadhead.files.input_file import LocalFile
from broadhead.operators.context import Metrics, Split
from broadhead.operators.divide import is_divisible
from broadhead.plan import nodes
from broadhead.types import BOOLEAN, LONG
from broadhead.worker.streams import divide, run_shares
from engine.fragments import aggregate_call, attributes, call, column, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.operators.context import Sources


def split(number: int, length: int) -> Split:
    return Split(LocalFile(f"/{number}"), 0, length, ())


def test_shares_are_about_equal_and_hold_each_split_once() -> None:
    splits = [split(i, 100 - i) for i in range(10)]
    shares = divide({3: splits}, 4)
    assert len(shares) == 4
    assert sorted(s.file.path for share in shares for s in share.splits(3)) == sorted(
        s.file.path for s in splits
    )
    assert max(share.size for share in shares) < 1.5 * min(share.size for share in shares)
    assert len(divide({3: splits[:2]}, 4)) == 2


def test_the_splits_of_a_file_stay_together() -> None:
    splits = [
        Split(LocalFile(f"/{file}"), start, 10, ())
        for file in range(8)
        for start in range(0, 40, 10)
    ]
    shares = divide({3: splits}, 4)
    paths = [{s.file.path for s in share.splits(3)} for share in shares]
    assert [len(p) for p in paths] == [2, 2, 2, 2]
    assert len(set.union(*paths)) == 8


def test_all_batches_come_and_metrics_add_up() -> None:
    metrics = Metrics()

    def run_part(
        share: Sources, own: Metrics, stopped: Callable[[], bool]
    ) -> Iterator[pa.RecordBatch]:
        for part in share.splits(0):
            own.add(0, "rows", part.length)
            yield pa.record_batch({"a": [part.length]})

    shares = divide({0: [split(i, i + 1) for i in range(7)]}, 3)
    batches = list(run_shares(shares, run_part, metrics, lambda: False))
    assert sorted(b.column(0)[0].as_py() for b in batches) == list(range(1, 8))
    assert metrics.values == {"0.rows": 28}


def test_an_error_of_one_stream_stops_the_others_and_is_raised() -> None:
    seen: list[bool] = []

    def run_part(
        share: Sources, own: Metrics, stopped: Callable[[], bool]
    ) -> Iterator[pa.RecordBatch]:
        if share.splits(0)[0].file.path == "/0":
            raise OSError("gone")
        while not stopped():
            yield pa.record_batch({"a": [1]})
        seen.append(True)

    shares = divide({0: [split(0, 2), split(1, 1)]}, 2)
    with pytest.raises(OSError, match="gone"):
        list(run_shares(shares, run_part, Metrics(), lambda: False))
    assert seen == [True]


def aggregate(mode: str, child: nodes.Node, name: str = "Count") -> nodes.HashAggregate:
    call = aggregate_call(name, mode, LONG, [(LONG, None)], [column(0, LONG)])
    return nodes.HashAggregate(
        id=0,
        output=attributes(n=LONG),
        children=(child,),
        grouping=(),
        aggregates=(call,),
        results=(column(0, LONG),),
    )


def test_only_partial_aggregations_of_scans_are_divided() -> None:
    files = scan(2, a=LONG)
    condition = call("IsNotNull", BOOLEAN, column(0, LONG))
    filtered = nodes.Filter(id=1, output=files.output, children=(files,), condition=condition)
    rows = nodes.RowSource(id=2, output=files.output, children=(), source=0)
    assert is_divisible(aggregate("Partial", files))
    assert is_divisible(aggregate("Partial", filtered))
    ordered = {name for name, a in aggregates().items() if a.takes_one_row or a.depends_on_order}
    assert ordered >= {"First", "Last", "MaxBy", "MinBy", "ApproximatePercentile"}
    assert not any(is_divisible(aggregate("Partial", files, name)) for name in ordered)
    assert not is_divisible(aggregate("Complete", filtered))
    assert not is_divisible(aggregate("Partial", rows))
    assert not is_divisible(aggregate("Partial", aggregate("Partial", files)))
    assert not is_divisible(replace(aggregate("Partial", files), aggregates=()))
    assert not is_divisible(filtered)
