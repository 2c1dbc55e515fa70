"""Common code of the conversions of `CAST`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.functions.operands import require

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Checked, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Conversion:
    """One CAST: from a type to another, in an eval mode, in a time zone where that matters.

    `shortest_digits`: whether the JVM writes floats with as few digits as tell them apart, which
    Java does since version 19.
    """

    k: Kernels
    source: DataType
    target: DataType
    eval_mode: str
    zone: Zone | None
    shortest_digits: bool

    @property
    def is_checked(self) -> bool:
        """Whether values that do not fit are detected: not in Spark 3's casts (LEGACY)."""
        return self.eval_mode != "LEGACY"

    def settle(self, result: Checked, condition: str = "CAST_OVERFLOW") -> Array:
        """The values; rows that failed raise under ANSI, and are null elsewhere."""
        values, failed = result
        if self.eval_mode == "ANSI":
            require(self.k, failed, condition)
        return values


Convert = Callable[[Conversion, "Array"], "Array"]
