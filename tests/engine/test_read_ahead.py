"""Shuffle blocks decoded ahead of the operator that reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from broadhead.errors import ShuffleBlockError
from broadhead.packed import unpacked
from broadhead.plan.exchanges import ShuffleRead
from broadhead.shuffle.block import Rows, encode
from broadhead.shuffle.reader import Segment
from broadhead.types import LONG
from broadhead.worker import read_ahead
from broadhead.worker.read_ahead import ReadAhead
from engine.fragments import MemorySources, attributes

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = ShuffleRead(
    id=0, output=attributes(a=LONG), children=(), source=3, types=(LONG,), wanted=(0,)
)


class Blocks(MemorySources):
    """So many blocks of ten rows; counts those that were asked for."""

    def __init__(self, count: int, damaged: int = -1) -> None:
        super().__init__()
        self.count, self.damaged, self.asked = count, damaged, 0

    def segments(self, source: int) -> Iterator[Segment]:
        assert source == READ.source
        for number in range(self.count):
            self.asked += 1
            values = pa.array(range(10 * number, 10 * number + 10), pa.int64())
            data = b"".join(map(bytes, encode([Rows((values,), 10)])))
            if number == self.damaged:
                data = data[:-1]
            yield Segment(None, 0, len(data), pa.py_buffer(data))


def test_all_rows_come_in_order() -> None:
    with ReadAhead(READ, Blocks(20), batch_rows=25) as shuffled:
        pieces = [unpacked(piece.arrays[0]).to_pylist() for piece in shuffled[3]]
    assert [len(piece) for piece in pieces] == [20] * 10
    assert [value for piece in pieces for value in piece] == list(range(200))


def test_no_more_is_read_than_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "WAITING_BYTES", 25)
    blocks = Blocks(1000)
    with ReadAhead(READ, blocks, batch_rows=10) as shuffled:
        assert next(shuffled[3]).length == 10
    assert blocks.asked < 20


def test_what_the_thread_meets_is_raised_where_the_rows_are_read() -> None:
    with ReadAhead(READ, Blocks(5, damaged=2), batch_rows=10) as shuffled:
        rows = shuffled[3]
        assert next(rows).length == 10
        with pytest.raises(ShuffleBlockError):
            next(rows)
