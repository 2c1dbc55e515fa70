"""Kernels that read values from texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.physical import Array, Checked
    from broadhead.types import DataType


class Parse(Protocol):
    """The values that strings stand for, in the grammar of Spark's CAST.

    White space around a text is skipped as Spark skips it. Texts that are no value of the type
    fail: null in the result, true in the mask, which is None if no row failed. Nulls give null and
    do not fail. Spark raises for failed rows with ANSI, and has null without. Where the answer
    depends on what the engine does not know (the current date, the time zones of the JVM), a kernel
    raises `EngineLimit`.
    """

    def integers(self, data: Array, to: DataType, *, fraction: bool) -> Checked:
        """Integers of the type `to`, null for null; fails for other texts.

        Numbers out of range fail, too. With `fraction`, digits after a point are checked and cut
        off, as by CAST without ANSI.
        """

    def booleans(self, data: Array) -> Checked:
        """True for t, true, y, yes, 1, false for f, false, n, no, 0; null for null; others fail.

        The case of the letters does not matter.
        """

    def floats(self, data: Array, to: DataType) -> Checked:
        """The float or double (`to`) nearest to each number, null for null; fails for other texts.

        The grammar is that of Java's parseDouble with Spark's words (`inf`, `nan` and others, in
        any case). Numbers that are too large are infinite, those that are too small 0.0.
        """

    def decimals(self, data: Array, precision: int, scale: int) -> Checked:
        """Unscaled data, rounded HALF_UP to `scale` digits after the point; null for null.

        The grammar is that of Java's BigDecimal. Fails for other texts, and for numbers with more
        than `precision` digits.
        """

    def dates(self, data: Array) -> Checked:
        """Dates of texts `[+-]yyyy[-m[-d]]`, null for null; fails for others.

        Days that do not exist fail, too. What follows a space or a T after the day is not read.
        """

    def timestamps(self, data: Array) -> tuple[Array, Array | None, Array | None]:
        """Microseconds of texts `[+-]yyyy[-m[-d[ h[:m[:s[.f][zone]]]]]]`, with a space or a T.

        Returns
        -------
        tuple
            The microseconds, int64; a mask of the rows that are UTC since their text names an
            offset, while the others are local, None for no such row; and the mask of the failed
            rows, None for none. The first mask says nothing about failed rows and nulls. Raises
            `EngineLimit` for zones that are regions (`Europe/Paris`) and for times without a date.
        """

    def local_timestamps(self, data: Array) -> Checked:
        """Local microseconds of such texts, int64, null for null; fails for others.

        An offset in the text is not used. For Spark's CAST to TIMESTAMP_NTZ. Raises `EngineLimit`
        as `timestamps` does.
        """

    def numbers(self, data: Array, layout: Sequence[str | tuple[int, int]]) -> list[Array]:
        """The numbers in texts of one layout, an Array of int64 for each; null for other texts.

        `layout` has ASCII texts, whose letters may have any case, and for each number its least and
        its most digits, 18 at most. For patterns such as `yyyy-MM-dd` of Spark's `to_date`.
        """
