"""Sort keys as unsigned integers with the same order, and the bits that distinguish them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import compare
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broadhead.kernels.interface.sort import Order

    Codes = Callable[[Any | None], Any]
    """Codes (uint64) of the given rows, or of all rows for None. The rows of a later call all come
    from one earlier call, so ranks among the rows of that call stay valid."""

_SIGN = np.uint64(1 << 63)
_WORD = 8
_MAX_WORDS = 8
"""Number of words of a string that are compared as integers; longer ties are ranked as a whole."""
_SAMPLE = 4_096
_FEW = 1_024
"""Number of strings below which their repetition is not measured."""
_REPEATED = 8
"""Mean number of occurrences from which strings are ranked at once: ranks have few bits."""


def encode(keys: Sequence[pa.Array], orders: Sequence[Order]) -> list[Codes]:
    """Codes, the most significant first."""
    codes: list[Codes] = []
    for key, (ascending, nulls_first) in zip(keys, orders, strict=True):
        valid = views.valid(key)
        of_values = _texts(key) if _is_text(key) else [_constant(v) for v in _numbers(key)]
        if not ascending:
            of_values = [_inverted(code) for code in of_values]
        if valid is not None:
            codes.append(_constant((valid if nulls_first else ~valid).astype(np.uint64)))
            of_values = [_without_nulls(code, valid) for code in of_values]
        codes += of_values
    return codes


def _is_text(key: pa.Array) -> bool:
    return bool(pa.types.is_string(key.type) or pa.types.is_binary(key.type))


def _constant(values: Any) -> Codes:
    return lambda rows: values if rows is None else values[rows]


def _inverted(code: Codes) -> Codes:
    return lambda rows: ~code(rows)


def _without_nulls(code: Codes, valid: Any) -> Codes:
    """The same codes, with one common code for all nulls."""

    def read(rows: Any | None) -> Any:
        values = code(rows)
        kept = valid if rows is None else valid[rows]
        some = np.argmax(kept) if len(kept) else 0
        return np.where(kept, values, values[some : some + 1])

    return read


def _numbers(key: pa.Array) -> list[Any]:
    key = wide.narrowest(key) if wide.is_wide(key) else key
    if wide.is_wide(key):
        limbs = views.limbs(key)
        low, high = (np.ascontiguousarray(limbs[:, i]).view(np.uint64) for i in range(2))
        return [high ^ _SIGN, low]
    if pa.types.is_boolean(key.type):
        return [views.values(key).astype(np.uint64)]
    if pa.types.is_floating(key.type):
        return [_floats(views.values(compare.normalize(key)))]
    return [views.values(key).astype(np.int64).view(np.uint64) ^ _SIGN]


def _floats(values: Any) -> Any:
    """The bits of floats as unsigned integers: positive ones above the inverted negative ones."""
    bits = values.view(np.int64 if values.itemsize == _WORD else np.int32).astype(np.int64)
    if values.itemsize != _WORD:
        bits <<= 32
    return (bits ^ (bits >> 63 & np.int64(2**63 - 1))).view(np.uint64) ^ _SIGN


def _texts(key: pa.Array) -> list[Codes]:
    """Codes of each eight bytes, then one code for longer ties."""
    key = key.cast(pa.binary())
    if _is_repetitive(key):
        return [_Ranks(key)]
    buffers = key.buffers()
    offsets = np.frombuffer(buffers[1], np.int32, len(key) + 1, key.offset * 4).astype(np.int64)
    starts, lengths = offsets[:-1], np.diff(offsets)
    longest = int(lengths.max(initial=0))
    content = np.zeros(int(offsets[-1]) + _WORD, np.uint8)
    if buffers[2] is not None:
        content[:-_WORD] = np.frombuffer(buffers[2], np.uint8, int(offsets[-1]))
    text = content[offsets[0] : -_WORD]
    words = min(-(-longest // _WORD), _MAX_WORDS)
    codes: list[Codes] = [_Words(content, starts, lengths, n * _WORD) for n in range(words)]
    if longest > _MAX_WORDS * _WORD:
        codes.append(_Ranks(key))
    elif longest and not text.min(initial=1):
        # a string that ends is less than one that continues with zero bytes
        codes.append(_constant(lengths.view(np.uint64)))
    return codes


def _is_repetitive(key: pa.Array) -> bool:
    """Whether a sample has as few distinct strings as if each occurred `_REPEATED` times."""
    rows = np.arange(0, len(key), max(1, len(key) // _SAMPLE))
    if len(rows) < _FEW:
        return False
    sample = pc.take(key, pa.array(rows), boundscheck=False)
    different = len(key) / _REPEATED
    return len(pc.unique(sample)) <= -different * math.expm1(-len(rows) / different)


class _Words:
    """Eight bytes of each string from one position, zero-padded."""

    def __init__(self, content: Any, starts: Any, lengths: Any, position: int) -> None:
        self._words = np.lib.stride_tricks.as_strided(
            content[:_WORD].view(">u8"), (len(content) - _WORD + 1,), (1,), writeable=False
        )
        self._starts = starts
        self._lengths = lengths
        self._position = position

    def __call__(self, rows: Any | None) -> Any:
        starts = self._starts if rows is None else self._starts[rows]
        lengths = self._lengths if rows is None else self._lengths[rows]
        left = np.clip(lengths - self._position, 0, _WORD)
        # the word is not used if no bytes are left; the first one always exists
        offsets = np.where(left > 0, starts + self._position, 0)
        unused = ((_WORD - left) * 8).astype(np.uint64)
        words = self._words[offsets].astype(np.uint64)
        # a shift by all 64 bits is not defined
        return np.where(left > 0, words >> unused << unused, np.uint64(0))


class _Ranks:
    """Ranks of the strings among the rows of the first call that included them."""

    def __init__(self, key: pa.Array) -> None:
        self._key = key
        self._ranks = np.zeros(len(key), np.uint64)
        self._ranked = np.zeros(len(key), bool)

    def __call__(self, rows: Any | None) -> Any:
        if rows is None:
            rows = slice(None)
        if not self._ranked[rows].all():
            asked = self._key
            if not isinstance(rows, slice):
                asked = pc.take(self._key, pa.array(rows), boundscheck=False)
            self._ranks[rows] = _ranks(asked)
            self._ranked[rows] = True
        return self._ranks[rows]


def _ranks(key: pa.Array) -> Any:
    encoded = key.dictionary_encode()
    order = views.values(pc.sort_indices(encoded.dictionary))
    ranks = np.empty(len(order) + 1, np.uint64)
    ranks[order] = np.arange(len(order), dtype=np.uint64)
    # the last rank is that of nulls, whose codes are not used
    ranks[-1] = 0
    return ranks[views.values(pc.fill_null(encoded.indices, len(order)))]


@dataclass(frozen=True, slots=True)
class Bits:
    """`count` bits of (code - least) >> shift, with the order of the codes."""

    least: Any
    shift: Any
    count: int

    def of(self, values: Any) -> Any:
        """These bits of some codes, in a new array."""
        reduced = values - self.least
        return reduced >> self.shift if self.shift else reduced

    def below(self, code: Codes, count: int) -> Codes:
        """Codes of the lowest `count` bits."""
        mask = np.uint64((1 << count) - 1)
        return lambda rows: self.of(code(rows)) & mask


def choose_bits(values: Any, room: int) -> Bits:
    """The bits that distinguish the values; if `room` is short, without bits zero in all."""
    least = values.min()
    count = int(values.max() - least).bit_length()
    shift = 0
    if count > room:
        used = int(np.bitwise_or.reduce(values - least))
        shift = (used & -used).bit_length() - 1
    return Bits(least, np.uint64(shift), count - shift)
