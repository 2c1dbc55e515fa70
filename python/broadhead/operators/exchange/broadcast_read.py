"""BroadcastRead: the rows of a broadcast, decoded once a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.exchange.broadcast_cache import CACHE
from broadhead.operators.kept_blocks import kept_batches
from broadhead.operators.rows.batch_rows import batch_bytes
from broadhead.operators.rows.host_rows import batches_of
from broadhead.shuffle.broadcast import read_broadcast
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from broadhead.columns import Batch
    from broadhead.operators.context import Broadcast, Run
    from broadhead.plan.exchanges import BroadcastRead
    from broadhead.types import DataType

_SMALL_SHARE = 8
"""Fraction of an operator's memory that the messages of one broadcast may use besides its rows."""


def broadcast_read(node: BroadcastRead, run: Run) -> Iterator[Batch]:
    """Batches of the wanted columns, the same objects for all tasks of the process."""
    broadcast = run.sources.broadcast(node.source)
    types = tuple((*node.types, LONG)[ordinal] for ordinal in node.wanted)

    def load() -> tuple[Batch, ...]:
        batches = _kept(node, broadcast, types, run)
        if batches is None:
            messages = _messages(broadcast, run)
            rows = read_broadcast(messages, node.types, node.wanted, run.settings.batch_rows)
            batches = tuple(batches_of(rows, types, run))
        # other threads use the columns on their own streams
        run.kernels.device.synchronize()
        return batches

    view = (run.kernels.device.name, node.wanted, node.types)
    yield from CACHE.get(
        (broadcast.name, view),
        load,
        lambda batch: batch_bytes(batch, run),
        run.settings.operator_memory,
    )


def _kept(
    node: BroadcastRead, broadcast: Broadcast, types: Sequence[DataType], run: Run
) -> tuple[Batch, ...] | None:
    """The columns of rows that this process keeps, for any order of the rows; None if it does not.

    Row ids count the rows of the messages.
    """
    if not broadcast.kept or len(node.types) in node.wanted:
        return None
    try:
        return tuple(kept_batches(broadcast.kept, types, node.wanted, run))
    except KeyError:
        # they have been given up, or this is another process
        return None


def _messages(broadcast: Broadcast, run: Run) -> Iterable[pa.Buffer]:
    """The messages of a broadcast; those of a small one are kept for reads of other columns.

    A join that returns unmatched rows of its broadcast reads it in three ways.
    """
    limit = run.settings.operator_memory
    if run.kernels.device.name == "gpu" or broadcast.bytes * _SMALL_SHARE > limit:
        return broadcast.messages()
    key = (broadcast.name, "messages")
    return CACHE.get(key, lambda: tuple(broadcast.messages()), lambda part: part.size, limit)
