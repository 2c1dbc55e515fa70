"""Sorting in memory.

Keys become unsigned integers of as few bits as their values need. As many bits as fit are packed,
with the row id in the lowest bits, into one 64-bit integer: numpy sorts these five times faster
than it computes the order of a column. Rows with equal packed bits are then sorted by the remaining
bits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.decimals import wide
from broadhead.kernels.arrow.sorting import sort_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.arrow.sorting.sort_codes import Codes
    from broadhead.kernels.interface.sort import Order

_BITS = 64
_PART_ROWS = 1 << 16
"""Equal rows are refined in several steps: ids of fewer rows and groups leave more bits for codes.
"""
_HEAD = 1_000
"""Number of rows checked first: most unsorted input is recognised by them."""


def order(keys: Sequence[Any], orders: Sequence[Order]) -> Any:
    """The row ids in order; rows with equal keys keep their order."""
    return pa.array(_order(sort_codes.encode(keys, orders), len(keys[0])).view(np.int64))


def top(keys: Sequence[Any], orders: Sequence[Order], limit: int) -> Any:
    """The first `limit` ids of `order`, or all if there are fewer."""
    length = len(keys[0])
    if limit >= length:
        return order(keys, orders)
    if limit == 0:
        return pa.array([], pa.int64())
    codes = sort_codes.encode(keys, orders)
    row_bits = np.uint64((length - 1).bit_length())
    packed, rest = _pack(codes, length, _BITS - int(row_bits))
    if packed is None:
        return pa.array(np.arange(limit))
    packed = packed << row_bits | np.arange(length, dtype=np.uint64)
    least = np.partition(packed, limit - 1)[:limit]
    if not rest:
        least.sort()
        return pa.array((least & _mask(row_bits)).view(np.int64))
    # rows equal to the last one so far may come before it by the remaining bits
    candidates = np.flatnonzero(packed >> row_bits <= least.max() >> row_bits)
    positions = _order(codes, len(candidates), candidates)[:limit]
    return pa.array(candidates[positions])


def merge(
    runs: Sequence[Sequence[Any]], orders: Sequence[Order], unfinished: Sequence[bool]
) -> tuple[Any, list[int]]:
    """The rows of sorted runs that no later row can precede, and their number in each run."""
    keys = [pa.concat_arrays(wide.unify(parts)) for parts in zip(*runs, strict=True)]
    rows = _order(sort_codes.encode(keys, orders), len(keys[0])).view(np.int64)
    ranks = np.empty_like(rows)
    ranks[rows] = np.arange(len(rows))
    ends = np.cumsum([len(run[0]) for run in runs])
    lasts = [ranks[end - 1] for end, more in zip(ends, unfinished, strict=True) if more]
    count = int(min(lasts, default=len(rows) - 1)) + 1
    of_runs = np.split(ranks, ends[:-1])
    return pa.array(rows[:count]), [int(np.searchsorted(p, count)) for p in of_runs]


def _order(
    codes: Sequence[Codes], length: int, rows: Any | None = None, groups: Any | None = None
) -> Any:
    """Positions in `rows` (None is all), sorted by groups, then codes; uint64."""
    row_numbers = np.arange(length, dtype=np.uint64)
    if length <= 1:
        return row_numbers
    row_bits = np.uint64((length - 1).bit_length())
    packed, rest = _pack(codes, length, _BITS - int(row_bits), rows, groups)
    if packed is None or (not rest and _is_sorted(packed)):
        return row_numbers
    packed <<= row_bits
    packed |= row_numbers
    packed.sort()
    positions = packed & _mask(row_bits)
    if rest:
        packed >>= row_bits
        _refine(positions, packed, rest, rows)
    return positions


def _pack(
    codes: Sequence[Codes],
    length: int,
    room: int,
    rows: Any | None = None,
    groups: Any | None = None,
) -> tuple[Any | None, list[Codes]]:
    """The groups and the highest bits of the codes in `room` bits, and the codes of the other bits.

    None if all rows are equal.
    """
    packed = groups
    if groups is not None:
        room -= int(groups[-1]).bit_length()
    for number, code in enumerate(codes):
        if not room:
            return packed, list(codes[number:])
        values = code(rows)
        bits = sort_codes.choose_bits(values, room)
        taken = min(bits.count, room)
        if not taken:
            continue
        high = bits.of(values) >> np.uint64(bits.count - taken)
        packed = high if packed is None else packed << np.uint64(taken) | high
        room -= taken
        if taken < bits.count:
            return packed, [bits.below(code, bits.count - taken), *codes[number + 1 :]]
    return packed, []


def _refine(positions: Any, packed: Any, codes: Sequence[Codes], rows: Any | None) -> None:
    """Sort the positions of equal packed codes, which are adjacent, by more codes."""
    same = packed[1:] == packed[:-1]
    if not same.any():
        return
    tied = np.zeros(len(packed), bool)
    tied[1:] = same
    tied[:-1] |= same
    indices = np.flatnonzero(tied)
    starts = np.ones(len(packed), bool)
    starts[1:] = ~same
    starts = starts[indices]
    groups = np.cumsum(starts, dtype=np.uint64)
    for begin, end in pairwise(_cuts(np.flatnonzero(starts), len(indices))):
        part = indices[begin:end]
        members = positions[part]
        asked = members if rows is None else rows[members]
        numbers = groups[begin:end] - groups[begin]
        positions[part] = members[_order(codes, len(part), asked, numbers)]


def _cuts(starts: Any, length: int) -> list[int]:
    """Bounds of ranges of about `_PART_ROWS` rows, each of them whole groups."""
    wanted = np.arange(_PART_ROWS, length, _PART_ROWS)
    found = np.searchsorted(starts, wanted)
    cuts = np.unique(starts[found[found < len(starts)]])
    return [0, *cuts.tolist(), length]


def _is_sorted(packed: Any) -> bool:
    head = packed[:_HEAD]
    return bool((head[1:] >= head[:-1]).all() and (packed[1:] >= packed[:-1]).all())


def _mask(bits: Any) -> Any:
    return (np.uint64(1) << bits) - np.uint64(1)
