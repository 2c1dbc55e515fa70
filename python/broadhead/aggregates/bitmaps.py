"""bitmap_construct_agg, bitmap_or_agg and bitmap_and_agg."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.aggregates.collect import OFFSETS
from broadhead.aggregates.host_rows import (
    binaries_of,
    bytes_of,
    check_size,
    on_host,
)
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import members, numbered
from broadhead.errors import EngineLimit, WouldRaise
from broadhead.registry import Signature
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.columns import Column
    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

    Words = np.ndarray[Any, np.dtype[np.uint64]]

BYTES = 4096
BITS = 8 * BYTES
BINARY = frozenset({"binary"})
SIGNATURES = [Signature((BINARY,), BINARY)]


class _Bitmap:
    """The buffer is a bitmap, as the result."""

    joined: np.ufunc
    nothing: int

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The bitmaps of each group together."""
        yield from ()
        return [cls.together(k, grouping, call, inputs[0].data)]

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """The same of buffers."""
        yield from ()
        return [cls.together(k, grouping, call, buffers[0].data)]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The bitmap."""
        return buffers[0]

    @classmethod
    def together(cls, k: Kernels, grouping: Grouping, call: AggregateCall, data: Array) -> Column:
        """The bits of the bitmaps of each group that are not null, joined."""
        check_size(grouping.size, BYTES, call.name)
        numbers, data = numbered(k, grouping, data)
        result = np.full((grouping.size, BYTES), cls.nothing, np.uint8).view(np.uint64)
        groups, join = list(result), cls.joined
        for number, bitmap in zip(
            on_host(k, numbers, LONG).tolist(), _bitmaps(k, data), strict=True
        ):
            group = groups[number]
            join(group, bitmap, group)
        return binaries_of(k, result.view(np.uint8))


def _bitmaps(k: Kernels, data: Array) -> Words:
    """The words of bitmaps; versions of Spark differ in those of other lengths."""
    content, offsets = bytes_of(k, data)
    if (np.diff(offsets) != BYTES).any():
        raise EngineLimit(f"a bitmap that has not {BYTES} bytes")
    return content.view(np.uint64).reshape(-1, BYTES // 8)


@aggregate(
    "bitmap_construct_agg",
    spark="BitmapConstructAgg",
    signatures=[Signature((frozenset({"long"}),), BINARY)],
    fields=OFFSETS,
    frames=False,
)
class BitmapConstruct(_Bitmap):
    """The positions of the values as bits.

    SELECT bitmap_construct_agg(bitmap_bit_position(id)) FROM t GROUP BY bitmap_bucket_number(id)
    """

    joined, nothing = np.bitwise_or, 0

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """A bit for each position."""
        yield from ()
        check_size(grouping.size, BYTES, call.name)
        found = members(k, grouping, inputs[0].data)
        positions = on_host(k, found.values, LONG)
        if len(positions) and (positions.min() < 0 or positions.max() >= BITS):
            raise WouldRaise("INVALID_BITMAP_POSITION")
        numbers = on_host(k, found.numbers(k), LONG)
        result = np.zeros((grouping.size, BYTES), np.uint8)
        bits = np.left_shift(1, positions & 7).astype(np.uint8)
        np.bitwise_or.at(result, (numbers, positions >> 3), bits)
        return [binaries_of(k, result)]


@aggregate(
    "bitmap_or_agg",
    spark="BitmapOrAgg",
    signatures=SIGNATURES,
    fields=OFFSETS,
    frames=False,
)
class BitmapOr(_Bitmap):
    """The bits that one of the bitmaps has.

    SELECT bitmap_or_agg(bitmap)
    """

    joined, nothing = np.bitwise_or, 0


@aggregate(
    "bitmap_and_agg",
    spark="BitmapAndAgg",
    signatures=SIGNATURES,
    fields=OFFSETS,
    frames=False,
)
class BitmapAnd(_Bitmap):
    """The bits that all of the bitmaps have; all bits of no bitmaps.

    SELECT bitmap_and_agg(bitmap)
    """

    joined, nothing = np.bitwise_and, 255
