"""The number of sorted bounds before each row.

Each key becomes an integer code with the same order relative to the bounds as the key: twice the
number of distinct bounds before it, plus one if the key equals a bound. The codes of several keys
are combined into one code in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.hash import Order

_PREFIX = 8


def count_before(bounds: Sequence[Any], keys: Sequence[Any], orders: Sequence[Order]) -> Any:
    """The number of rows of `bounds` before each row of `keys`, int32."""
    codes: Any = None
    bound_codes: Any = None
    for bound, key, (ascending, nulls_first) in zip(bounds, keys, orders, strict=True):
        column, bound_column = _codes(bound, key, ascending=ascending, nulls_first=nulls_first)
        if codes is None:
            codes, bound_codes = column, bound_column
            continue
        span = 2 * len(bound) + 4
        codes, bound_codes = _among(bound_codes * span + bound_column, codes * span + column)
    return pa.array(np.searchsorted(bound_codes, codes, "left").astype(np.int32))


def _codes(
    bound: pa.Array, key: pa.Array, *, ascending: bool, nulls_first: bool
) -> tuple[Any, Any]:
    """Codes of the rows and of the bounds, from 0 to 2 * len(bound) + 3."""
    present = bound.drop_null()
    if not len(present):
        codes, bound_codes = np.ones(len(key), np.int64), np.zeros(0, np.int64)
    elif pa.types.is_string(key.type) or pa.types.is_binary(key.type):
        codes, bound_codes = _text_codes(present, key)
    elif wide.is_wide(bound) or wide.is_wide(key):
        codes, bound_codes = _wide_codes(wide.widen(present), wide.widen(key))
    else:
        codes, bound_codes = _among(views.values(present), views.values(key))
    most = 2 * len(bound) + 1
    codes, bound_codes = codes + 1, bound_codes + 1
    if not ascending:
        codes, bound_codes = most + 1 - codes, most + 1 - bound_codes
    null_code = 0 if nulls_first else most + 2
    valid = views.valid(key)
    if valid is not None:
        codes = np.where(valid, codes, null_code)
    all_bounds = np.full(len(bound), null_code, np.int64)
    all_bounds[views.values(pc.is_valid(bound))] = bound_codes
    return codes, all_bounds


def _among(bound: Any, key: Any) -> tuple[Any, Any]:
    """Codes of numbers; numpy sorts NaN last."""
    known = np.unique(bound)
    codes = np.searchsorted(known, key, "left")
    nearest = known[np.minimum(codes, len(known) - 1)]
    equal = nearest == key
    if known.dtype.kind == "f":
        equal |= np.isnan(nearest) & np.isnan(key)
    return 2 * codes + np.where(equal & (codes < len(known)), 1, 0), 2 * np.searchsorted(
        known, bound, "left"
    ) + 1


def _wide_codes(bound: pa.Array, key: pa.Array) -> tuple[Any, Any]:
    """Codes of 128-bit numbers, by their high, then their low half."""
    bound_limbs, limbs = views.limbs(bound), views.limbs(key)
    span = 2 * len(bound) + 2
    high, bound_high = _among(bound_limbs[:, 1], limbs[:, 1])
    low, bound_low = _among(_unsigned(bound_limbs[:, 0]), _unsigned(limbs[:, 0]))
    return _among(bound_high * span + bound_low, high * span + low)


def _unsigned(limb: Any) -> Any:
    return np.ascontiguousarray(limb).view(np.uint64)


def _text_codes(bound: pa.Array, key: pa.Array) -> tuple[Any, Any]:
    """Codes of strings: by their first bytes, or by all if a bound starts with the same bytes."""
    known = pc.unique(bound.cast(pa.binary()))
    known = known.take(pc.sort_indices(known))
    prefixes = _prefixes(known)
    wanted = _prefixes(key)
    first = np.searchsorted(prefixes, wanted, "left")
    last = np.searchsorted(prefixes, wanted, "right")
    codes = 2 * first
    rows = np.flatnonzero(first < last)
    if len(rows):
        texts = key.take(pa.array(rows)).cast(pa.binary())
        codes[rows] = _searched(known, texts, first[rows], last[rows])
    bound_codes = pc.index_in(bound.cast(pa.binary()), value_set=known)
    return codes, 2 * views.values(bound_codes).astype(np.int64) + 1


def _searched(known: pa.Array, texts: pa.Array, low: Any, high: Any) -> Any:
    """Codes by binary search in known[low : high]."""
    while (low < high).any():
        middle = (low + high) // 2
        at_middle = known.take(pa.array(np.minimum(middle, len(known) - 1)))
        less = views.values(pc.fill_null(pc.less(at_middle, texts), False))
        open_ = low < high
        low = np.where(open_ & less, middle + 1, low)
        high = np.where(open_ & ~less, middle, high)
    nearest = known.take(pa.array(np.minimum(low, len(known) - 1)))
    equal = views.values(pc.fill_null(pc.equal(nearest, texts), False)) & (low < len(known))
    return 2 * low + equal


def _prefixes(texts: pa.Array) -> Any:
    """The first bytes as an integer with the same order; shorter strings are padded with zeros."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1, texts.offset * 4)
    starts = offsets[:-1].astype(np.int64)
    lengths = np.diff(offsets)
    content = np.zeros(int(offsets[-1]) + _PREFIX, np.uint8)
    if texts.buffers()[2] is not None:
        content[:-_PREFIX] = np.frombuffer(texts.buffers()[2], np.uint8, int(offsets[-1]))
    words = np.lib.stride_tricks.as_strided(
        content[:_PREFIX].view(">u8"), (len(content) - _PREFIX + 1,), (1,), writeable=False
    )
    unused = (_PREFIX - np.minimum(lengths, _PREFIX)).astype(np.uint64) * np.uint64(8)
    found = words[starts].astype(np.uint64)
    # shifting by the whole width is undefined
    return np.where(
        lengths > 0, found >> np.minimum(unused, 63) << np.minimum(unused, 63), 0
    ).astype(np.uint64)
