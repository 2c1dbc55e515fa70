"""Kernels for strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data

Side = Literal["both", "leading", "trailing"]


class Strings(Protocol):
    """Functions of UTF-8 strings; positions and lengths count code points, as in Spark.

    One value a row, null where an argument is null. `Data` arguments of type int are int32.
    Functions that count characters raise `EngineLimit` for strings that are not UTF-8: Spark counts
    their bytes by rules of its own.
    """

    def length(self, data: Array) -> Array:
        """Number of code points, int32; null for null. Spark's `char_length`.

        Raises `EngineLimit` for strings that are not UTF-8.
        """

    def byte_length(self, data: Array) -> Array:
        """Number of bytes of strings or binaries, int32; null for null. Spark's `octet_length`."""

    def upper(self, data: Array) -> Array:
        """Upper case as Java's String.toUpperCase(Locale.ROOT); null for null. Spark's `upper`.

        A string may become longer. Raises `EngineLimit` for letters whose case depends on the
        version of Unicode, and for strings that are not UTF-8.
        """

    def lower(self, data: Array) -> Array:
        """Lower case as Java's String.toLowerCase(Locale.ROOT); null for null. Spark's `lower`.

        A capital sigma at the end of a word becomes a final sigma. Raises `EngineLimit` as `upper`
        does, and where Java's and Python's words around a sigma may differ.
        """

    def substring(self, data: Array, position: Data, length: Data) -> Array:
        """Part of a string, by Spark's `substring`; null where an argument is null.

        Positions start at 1, 0 means 1, and negative ones count from the end. A start before the
        first character shortens the result; a length below 1 gives ''. If position + length
        overflows, the part ends with the string. Raises `EngineLimit` for strings that are not
        UTF-8.
        """

    def concat(self, data: Sequence[Data]) -> Array:
        """The strings of each row, one after the other; null if any is null. Spark's `concat`.

        Raises `EngineLimit` if the strings of the result exceed 2 GiB.
        """

    def trim(self, data: Array, side: Side, characters: str) -> Array:
        """Strings without the characters of a set at one or both ends; null for null.

        Spark's `trim`, `ltrim` and `rtrim`. `characters` are the code points of the set; '' removes
        nothing. Raises `EngineLimit` for strings that are not UTF-8.
        """

    def like(self, data: Array, pattern: str, escape: str) -> Array:
        """Whether the whole string has the pattern of SQL's LIKE; null for null.

        `%` is any text and `_` one code point, line ends included. `escape` makes `%`, `_` and
        itself literal; each one is followed by one of these three, which planning has checked.
        Raises `EngineLimit` for strings that are not UTF-8, if the pattern has `_`.
        """

    def starts_with(self, data: Data, pattern: Data) -> Array:
        """Whether the string begins with `pattern`, byte by byte; null where either is null.

        True for the pattern ''. Spark's `startswith`.
        """

    def ends_with(self, data: Data, pattern: Data) -> Array:
        """Whether the string ends with `pattern`, byte by byte; null where either is null.

        True for the pattern ''. Spark's `endswith`.
        """

    def contains(self, data: Data, pattern: Data) -> Array:
        """Whether `pattern` is somewhere in the string, byte by byte; null where either is null.

        True for the pattern ''. Spark's `contains`.
        """
