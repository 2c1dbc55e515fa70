"""Kernels for strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data

Side = Literal["both", "leading", "trailing"]


class Strings(Protocol):
    """Functions of UTF-8 strings; positions and lengths count code points.

    `Data` arguments of type int are int32.
    """

    def length(self, data: Array) -> Array:
        """Number of code points, int32."""

    def byte_length(self, data: Array) -> Array:
        """Number of bytes, int32; takes strings and binary."""

    def upper(self, data: Array) -> Array:
        """Upper case as Java's String.toUpperCase(Locale.ROOT), which can lengthen a string."""

    def lower(self, data: Array) -> Array:
        """Lower case as Java's String.toLowerCase(Locale.ROOT), with the final sigma rule."""

    def substring(self, data: Array, position: Data, length: Data) -> Array:
        """Spark's substring.

        Positions start at 1, 0 means 1, negative ones count from the end; a start before the first
        character shortens the result; length below 1 gives ''. Overflow of position + length means
        'to the end'.
        """

    def concat(self, data: Sequence[Data]) -> Array:
        """The concatenated strings; null if any is null."""

    def trim(self, data: Array, side: Side, characters: str) -> Array:
        """Without the leading or trailing characters in `characters`.

        `characters` is a set of code points; '' removes nothing.
        """

    def like(self, data: Array, pattern: str, escape: str) -> Array:
        """SQL LIKE, where % and _ match line ends too and `_` is one code point.

        `escape` makes %, _ and itself literal. The pattern is valid: every escape is followed by
        one of these three.
        """

    def starts_with(self, data: Data, pattern: Data) -> Array:
        """Whether the string starts with the pattern; true for ''."""

    def ends_with(self, data: Data, pattern: Data) -> Array:
        """Whether the string ends with the pattern."""

    def contains(self, data: Data, pattern: Data) -> Array:
        """Whether the string contains the pattern."""
