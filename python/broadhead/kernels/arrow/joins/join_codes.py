"""The keys of a join as one unsigned 64-bit integer for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import compare
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide
from broadhead.kernels.arrow.hashing import key_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = 2**64


class ExactCodes:
    """Codes of keys stored as integers, relative to the build side's least value.

    Several keys become the digits of one integer, so equal codes are equal keys.
    """

    def __init__(self, lows: Sequence[int], spans: Sequence[int]) -> None:
        self._lows = [np.int64(low) for low in lows]
        self._spans = list(spans)
        self.span = 1
        for span in spans:
            self.span *= span

    def encode(self, keys: Sequence[pa.Array]) -> tuple[Any, Any]:
        """The codes, and a mask of those that may match (None: all of them).

        The code of a single key may exceed `span`.
        """
        codes: Any = None
        usable: Any = None
        for key, low, span in zip(keys, self._lows, self._spans, strict=True):
            values, valid = _integers(key)
            digit = (values - low).view(np.uint64)
            if len(self._spans) > 1:
                inside = digit < np.uint64(span)
                valid = inside if valid is None else inside & valid
            codes = digit if codes is None else codes * np.uint64(span) + digit
            usable = valid if usable is None or valid is None else usable & valid
            usable = usable if usable is not None else valid
        return codes, usable

    def is_same(self, keys: Sequence[pa.Array], found: Any) -> Any:
        """None: equal codes are equal keys."""
        return None


class HashCodes:
    """Hash codes of keys of any type: equal keys have equal codes, other keys may have them too."""

    span = _LARGEST

    def __init__(self, build_keys: Sequence[pa.Array], seed: int) -> None:
        self._keys = [compare.normalize(key) for key in build_keys]
        self._seed = seed

    def encode(self, keys: Sequence[pa.Array]) -> tuple[Any, Any]:
        """The codes, and a mask of those that may match (None: all of them)."""
        usable = views.valid(keys[0])
        for key in keys[1:]:
            valid = views.valid(key)
            if valid is not None:
                usable = valid if usable is None else usable & valid
        return key_hash.hash_rows([compare.normalize(key) for key in keys], self._seed), usable

    def is_same(self, keys: Sequence[pa.Array], found: Any) -> Any:
        """A mask of the rows whose keys equal those of the build rows `found` (-1: no row)."""
        indices = pa.array(np.maximum(found, 0))
        same: Any = None
        for key, built in zip(keys, self._keys, strict=True):
            candidate = views.contiguous(pc.take(built, indices, boundscheck=False))
            equal = compare.compare("equal", candidate, compare.normalize(key))
            mask = views.values(pc.fill_null(equal, False) if equal.null_count else equal)
            same = mask if same is None else same & mask
        return same


def exact_codes(keys: Sequence[pa.Array]) -> ExactCodes | None:
    """Exact codes for a build side, or None if its keys do not fit in 64 bits."""
    lows, spans, space = [], [], 1
    for key in keys:
        if not _is_integral(key):
            return None
        low, high = _bounds(key)
        lows.append(low)
        spans.append(high - low + 1)
        space *= spans[-1]
    # a single key is its own code, with any span
    return ExactCodes(lows, spans) if len(keys) == 1 or space < _LARGEST else None


def narrowed(key: pa.Array) -> pa.Array:
    """Build keys in their narrowest form: unscaled data as int64 if all values fit."""
    return wide.narrowest(key) if wide.is_wide(key) else key


def _is_integral(key: pa.Array) -> bool:
    data_type = key.type
    return not (
        pa.types.is_string(data_type)
        or pa.types.is_binary(data_type)
        or pa.types.is_decimal(data_type)
    )


def _bounds(key: pa.Array) -> tuple[int, int]:
    values, valid = _integers(key)
    if valid is not None:
        values = values[valid]
    return (int(values.min()), int(values.max())) if len(values) else (0, 0)


def _integers(key: pa.Array) -> tuple[Any, Any]:
    """The values as int64 with the same equality, and a mask of the valid ones."""
    valid = views.valid(key)
    if wide.is_wide(key):
        both = views.limbs(key)
        fits = both[:, 1] == both[:, 0] >> 63
        return np.ascontiguousarray(both[:, 0]), fits if valid is None else fits & valid
    values = views.values(compare.normalize(key))
    if pa.types.is_floating(key.type):
        values = values.view(np.int64 if values.itemsize == 8 else np.int32)
    return values.astype(np.int64, copy=False), valid
