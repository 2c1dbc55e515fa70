"""Kernels that read values from texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.physical import Array, Checked
    from broadhead.types import DataType


class Parse(Protocol):
    """The values that strings stand for, in the grammar of Spark's CAST.

    Texts that are no value of the type fail. Where the answer depends on what the engine does not
    know (the current date, the time zones of the JVM), a kernel raises `EngineLimit`.
    """

    def integers(self, data: Array, to: DataType, *, fraction: bool) -> Checked:
        """Integers of the type `to`.

        With `fraction`, digits after a point are allowed and cut off.
        """

    def booleans(self, data: Array) -> Checked:
        """Of t, true, y, yes, 1, f, false, n, no, 0 in any case."""

    def floats(self, data: Array, to: DataType) -> Checked:
        """The nearest float or double, in the grammar of Java's parseDouble and of Spark's words.

        Numbers that are too large are infinite.
        """

    def decimals(self, data: Array, precision: int, scale: int) -> Checked:
        """Unscaled data, rounded to `scale`, in the grammar of Java's BigDecimal."""

    def dates(self, data: Array) -> Checked:
        """Dates: `[+-]yyyy[-m[-d]]`; what follows a space or T after the day is not read."""

    def timestamps(self, data: Array) -> tuple[Array, Array | None, Array | None]:
        """Microseconds of `[+-]yyyy[-m[-d[ h[:m[:s[.f][zone]]]]]]`, with a space or a T.

        They are UTC where the second result, a mask, is true, since the text names its offset, and
        local elsewhere; None for no such row. The third is the mask of the failed rows. The second
        says nothing about these and nulls.
        """

    def local_timestamps(self, data: Array) -> Checked:
        """Local microseconds of such texts, whatever offset they name."""

    def numbers(self, data: Array, layout: Sequence[str | tuple[int, int]]) -> list[Array]:
        """The numbers in texts of one layout, int64; null where a text has another layout.

        A layout has ASCII texts, whose letters stand in any case, and for each number its least and
        its most digits, 18 at most.
        """
