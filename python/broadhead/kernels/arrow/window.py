"""Partitions, peers and frames of sorted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow import compare
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide
from broadhead.kernels.arrow.ranges.frames import Frames
from broadhead.kernels.arrow.ranges.segments import LONG_SEGMENT

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs: ranges of adjacent rows."""

    number: pa.Array
    first: pa.Array
    end: pa.Array
    starts: pa.Array
    ends: pa.Array


def changes(keys: Sequence[Any], length: int) -> Any:
    """Mask of the rows that differ from the row before in at least one key, and of row 0."""
    changed = np.zeros(length, bool)
    changed[:1] = True
    for key in keys:
        if length > 1:
            before, after = key.slice(0, length - 1), key.slice(1)
            compared = compare.null_safe_equal if key.null_count else _equal
            changed[1:] |= ~views.values(compared(before, after))
    return views.array(changed, pa.bool_())


def _equal(left: Any, right: Any) -> Any:
    return compare.compare("equal", left, right)


def runs(starts: Any) -> Runs:
    """The runs that start where the mask `starts` is true; it is true in row 0."""
    mask = views.values(starts)
    firsts = np.flatnonzero(mask)
    ends = np.append(firsts[1:], len(mask))[: len(firsts)]
    lengths = ends - firsts
    numbers = np.repeat(np.arange(len(firsts), dtype=np.int64), lengths)
    return Runs(
        number=pa.array(numbers),
        first=pa.array(np.repeat(firsts, lengths)),
        end=pa.array(np.repeat(ends, lengths)),
        starts=pa.array(firsts),
        ends=pa.array(ends),
    )


def count_before(mask: Any) -> Any:
    """Number of true rows of the mask before each row, and one more entry with the total."""
    counts = np.zeros(len(mask) + 1, np.int64)
    np.cumsum(views.values(mask), out=counts[1:])
    return pa.array(counts)


def running_max(positions: Any) -> Any:
    """The greatest position up to each row."""
    return pa.array(np.maximum.accumulate(views.values(positions)))


def clamp(positions: Any, low: Any, high: Any) -> Any:
    """The position clamped to `low` and `high`."""
    least = np.maximum(views.values(positions), views.values(low))
    return pa.array(np.minimum(least, views.values(high), out=least))


def search(values: Any, bounds: Any, begin: Any, end: Any, *, descending: bool, after: bool) -> Any:
    """For each row, the first position from `begin` to `end` whose value reaches the bound."""
    values, bounds = wide.unify([values, bounds])
    found = views.values(begin).copy()
    ends = views.values(end)
    keys = [_ascending(part, descending=descending) for part in _comparable(values)]
    wanted = [_ascending(part, descending=descending) for part in _comparable(bounds)]
    short = np.ones(len(found), bool)
    if len(keys) == 1:
        short = ends - found <= LONG_SEGMENT
        firsts = np.flatnonzero(~short & (found == np.arange(len(found))))
        side: Literal["left", "right"] = "right" if after else "left"
        for first in firsts:
            part = slice(first, ends[first])
            found[part] = first + np.searchsorted(keys[0][part], wanted[0][part], side=side)
    rows = np.flatnonzero(short)
    if len(rows):
        found[rows] = _bisect(keys, [w[rows] for w in wanted], found[rows], ends[rows], after=after)
    return pa.array(found)


def _bisect(keys: Sequence[Any], wanted: Sequence[Any], low: Any, high: Any, *, after: bool) -> Any:
    """Binary search in all ranges at once; keys are compared from the first to the last."""
    low, high = low.copy(), high.copy()
    active = np.flatnonzero(low < high)
    while len(active):
        middle = (low[active] + high[active]) >> 1
        before = np.full(len(active), after)
        for key, bound in zip(reversed(keys), reversed(wanted), strict=True):
            value, limit = key[middle], bound[active]
            before = (value < limit) | ((value == limit) & before)
        low[active[before]] = middle[before] + 1
        high[active[~before]] = middle[~before]
        active = active[low[active] < high[active]]
    return low


def _comparable(data: pa.Array) -> list[Any]:
    """Integers with the order of the values, from the first array to the last one."""
    if wide.is_wide(data):
        limbs = views.limbs(data)
        # adding 2^63 to the low limb turns its unsigned order into a signed one
        return [limbs[:, 1], limbs[:, 0] ^ np.int64(-(1 << 63))]
    if not pa.types.is_floating(data.type):
        return [views.values(data)]
    floats = views.values(compare.normalize(data))
    bits = floats.view(np.int64 if floats.itemsize == 8 else np.int32)
    return [bits ^ ((bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max)]


def _ascending(values: Any, *, descending: bool) -> Any:
    return ~values if descending else values


def frames(begin: Any, end: Any, anchor: str) -> Frames:
    """A group for each frame."""
    return Frames(views.values(begin), views.values(end), anchor)
