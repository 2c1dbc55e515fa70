"""The bits of codes that distinguish values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from broadhead.kernels.arrow.sorting.sort_codes import Codes


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
