"""Spark's `XORShiftRandom`, vectorised: the same numbers, many at a time.

The generator's step is linear over bits, so a state any number of steps ahead is the product of a
matrix and the state. A block is computed in lanes, each of which starts where the one before it
ends.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

LANES = 2_048
LANE_LENGTH = 64
BLOCK = LANES * LANE_LENGTH
STEPS = 2
"""Steps for one double: 26 bits, then 27 bits."""

ARRAY_SEED = 0x3C074A61
"""Scala's `MurmurHash3.arraySeed`."""

_WORD = 0xFFFFFFFF


class XorShiftRandom:
    """The numbers after `setSeed(seed)`, of one kind: one of the methods is called, not both."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._starts: Any = None
        self._waiting: Any = None

    def doubles(self, count: int) -> Any:
        """The next `count` results of `nextDouble`, in [0, 1), a float64 array."""
        return self._taken(count, _doubles)

    def integers(self, count: int) -> Any:
        """The next `count` results of `nextInt`, an int32 array."""
        return self._taken(count, _integers)

    def _taken(self, count: int, numbers_of: Callable[[Any], Any]) -> Any:
        parts = [] if self._waiting is None else [self._waiting]
        size = sum(map(len, parts))
        while size < count or not parts:
            parts.append(numbers_of(self._next_starts()))
            size += len(parts[-1])
        numbers = np.concatenate(parts)
        self._waiting = numbers[count:]
        return numbers[:count]

    def _next_starts(self) -> Any:
        """The states at the starts of the next block's lanes."""
        *lanes, block = _jumps()
        if self._starts is None:
            self._starts = np.array([hash_seed(self._seed)], np.uint64)
            for matrix in lanes:
                self._starts = np.concatenate([self._starts, _product(matrix, self._starts)])
        else:
            self._starts = _product(block, self._starts)
        return self._starts.copy()


def _doubles(states: Any) -> Any:
    """The numbers of a block, lane after lane, whose states are moved to their ends."""
    numbers = np.empty((LANES, LANE_LENGTH))
    spare = np.empty_like(states)
    for column in numbers.T:
        _step(states, spare)
        high = (states & np.uint64((1 << 26) - 1)) << np.uint64(27)
        _step(states, spare)
        high |= np.bitwise_and(states, np.uint64((1 << 27) - 1), out=spare)
        # Signed integers become doubles in fewer instructions.
        np.multiply(high.view(np.int64), 2.0**-53, out=column)
    return numbers.ravel()


def _integers(states: Any) -> Any:
    """The numbers of a block, lane after lane, whose states are moved to their ends."""
    numbers = np.empty((LANES, STEPS * LANE_LENGTH), np.uint32)
    spare = np.empty_like(states)
    for column in numbers.T:
        _step(states, spare)
        column[:] = states
    return numbers.view(np.int32).ravel()


def hash_seed(seed: int) -> int:
    """The state for a seed, any 64-bit integer: `XORShiftRandom.hashSeed`."""
    data = (seed & (1 << 64) - 1).to_bytes(8, "big")
    low = _murmur3(data, ARRAY_SEED)
    return _murmur3(data, low) << 32 | low


def _murmur3(data: bytes, seed: int) -> int:
    """MurmurHash3 of 32 bits, of data whose length is a multiple of four."""
    value = seed
    for position in range(0, len(data), 4):
        word = int.from_bytes(data[position : position + 4], "little") * 0xCC9E2D51 & _WORD
        value ^= _rotated(word, 15) * 0x1B873593 & _WORD
        value = _rotated(value, 13) * 5 + 0xE6546B64 & _WORD
    value ^= len(data)
    value = (value ^ value >> 16) * 0x85EBCA6B & _WORD
    value = (value ^ value >> 13) * 0xC2B2AE35 & _WORD
    return value ^ value >> 16


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _WORD


def _step(states: Any, spare: Any) -> None:
    """Overwrite each state with the next one; `spare` is an array like them."""
    for shift, bits in ((np.left_shift, 21), (np.right_shift, 35), (np.left_shift, 4)):
        states ^= shift(states, np.uint64(bits), out=spare)


@cache
def _jumps() -> tuple[Any, ...]:
    """Matrices that go 1, 2, 4 ... lanes ahead, the last one a whole block.

    Each has the images of the 64 single bits.
    """
    images = np.uint64(1) << np.arange(64, dtype=np.uint64)
    spare = np.empty_like(images)
    for _ in range(STEPS * LANE_LENGTH):
        _step(images, spare)
    matrices = [images]
    while 1 << len(matrices) <= LANES:
        matrices.append(_product(matrices[-1], matrices[-1]))
    return tuple(matrices)


def _product(matrix: Any, states: Any) -> Any:
    """The products of the matrix and each of `states`."""
    result = np.zeros_like(states)
    for bit, image in enumerate(matrix):
        result ^= (states >> np.uint64(bit) & np.uint64(1)) * image
    return result
