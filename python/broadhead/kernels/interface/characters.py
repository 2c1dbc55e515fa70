"""Kernels that make other strings of strings, character by character or by substrings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface.physical import Array, Data
    from broadhead.types import ArrayType

PadSide = Literal["left", "right"]


class Characters(Protocol):
    """Functions of UTF-8 strings; positions and lengths count code points.

    One value a row, null where an argument is null. `Data` arguments of type int are int32. Strings
    that are not UTF-8 raise `EngineLimit`, but for functions that say that they work on bytes.
    """

    def initcap(self, data: Array) -> Array:
        """The first character of each word in title case, the others in lower case; null for null.

        Words are separated by spaces (U+0020) alone. Raises `EngineLimit` for letters whose case
        depends on the version of Unicode. Spark's `initcap`.
        """

    def reverse(self, data: Array) -> Array:
        """The code points in reverse order; null for null. Spark's `reverse` of strings."""

    def repeat(self, data: Data, times: Data) -> Array:
        """So many copies of the string; null where either is null. Spark's `repeat`.

        '' for less than one copy. Works on bytes. Raises `EngineLimit` if the strings of the result
        exceed 2 GiB.
        """

    def pad(self, data: Array, length: Data, fill: str, side: PadSide) -> Array:
        """Exactly `length` characters of each string; null where either is null.

        Spark's `lpad` and `rpad`. Longer strings are cut off at the end. To shorter ones the
        characters of `fill` are added at `side`, again and again; '' adds nothing. A length below 1
        gives ''.
        """

    def position(self, data: Array, text: str, start: Data) -> Array:
        """Where `text` is first found, from position `start` on, int32; null where either is null.

        Positions start at 1; 0 if it is not found, and where `start` is below 1. The text '' is
        found at position 1 for any other start. Spark's `locate`.
        """

    def replace(self, data: Array, text: str, replacement: str) -> Array:
        """Each occurrence of `text`, which is not '', replaced; null for null. Spark's `replace`.

        Works on bytes, from the left. Raises `EngineLimit` if the strings of the result exceed 2
        GiB.
        """

    def translate(self, data: Array, characters: Mapping[str, str]) -> Array:
        """Each of these characters replaced by another one, or by ''; null for null.

        Keys are single characters, values are single characters or ''. Spark's `translate`.
        """

    def before_delimiter(self, data: Array, delimiter: str, count: int) -> Array:
        """The text before occurrence `count` of a delimiter, from the left; null for null.

        For a negative count the text after it, from the right. The whole string where there are
        fewer; '' for the count 0 or the delimiter ''. Occurrences may overlap. Works on bytes.
        Spark's `substring_index`.
        """

    def split(self, data: Array, delimiter: str, data_type: ArrayType) -> Array:
        """Lists of the texts between the occurrences of a delimiter; null for null.

        The delimiter is not ''. The string '' gives a list with one '' in it. Spark's `split` by a
        pattern that is a plain text.
        """

    def split_part(self, data: Array, delimiter: str, number: Data) -> Array:
        """Text `number` between the occurrences of a delimiter; null where either is null.

        Numbers start at 1, negative ones count from the last text, and 0 does not occur. '' for
        numbers beyond. The delimiter '' does not divide the string. Spark's `split_part`.
        """

    def join(self, separator: Data, parts: Sequence[Data]) -> Array:
        """Strings, and the strings of lists, with a separator between them. Spark's `concat_ws`.

        Null only where the separator is null. Null strings, null lists and nulls in lists are left
        out; '' if nothing is left. Raises `EngineLimit` if the strings of the result exceed 2 GiB.
        """

    def code_point(self, data: Array) -> Array:
        """Code point of the first character, int32; 0 for '', null for null. Spark's `ascii`."""

    def of_code(self, data: Array) -> Array:
        """The character whose code is the lowest byte of an int64; null for null. Spark's `chr`.

        '' for negative numbers.
        """

    def soundex(self, data: Array) -> Array:
        """The Soundex code, a letter and three digits; null for null. Spark's `soundex`.

        Strings that do not begin with an ASCII letter are unchanged. Works on bytes.
        """

    def mask(self, data: Array, replacements: Mapping[str, str]) -> Array:
        """Each character replaced by the one for its kind, if there is one; null for null.

        The keys of `replacements` are `upper`, `lower`, `digit` and `other`, the values one
        character each. A character outside the Basic Multilingual Plane is two others, as in Java.
        Raises `EngineLimit` for characters whose kind depends on the version of Unicode. Spark's
        `mask`.
        """

    def find_in_set(self, data: Array, words: Sequence[str]) -> Array:
        """Number of the first of `words` that equals the string, int32, from 1; null for null.

        0 if there is none. Spark's `find_in_set`, whose list is split at commas before.
        """

    def levenshtein(self, left: Array, right: Data) -> Array:
        """Least number of insertions, deletions and replacements of characters, int32.

        Null where either is null. Spark's `levenshtein` without a limit.
        """

    def passes_luhn(self, data: Array) -> Array:
        """Whether the string is ASCII digits with a right Luhn checksum; null for null.

        False for ''. Raises `EngineLimit` for other digits of Unicode. Spark's `luhn_check`.
        """

    def quote(self, data: Array) -> Array:
        """The string in single quotes, each quote in it after a backslash; null for null.

        Spark's `quote`.
        """
