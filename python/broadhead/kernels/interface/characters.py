"""Kernels that make other strings of strings, character by character or piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface.physical import Array, Data
    from broadhead.types import ArrayType

PadSide = Literal["left", "right"]


class Characters(Protocol):
    """Functions of UTF-8 strings; positions and lengths count code points.

    `Data` arguments of type int are int32. Strings that are not UTF-8 raise `EngineLimit`, but for
    functions that say that they work on bytes.
    """

    def initcap(self, data: Array) -> Array:
        """The first character of each word in title case, the others in lower case.

        Words are separated by spaces (U+0020) alone.
        """

    def reverse(self, data: Array) -> Array:
        """The code points in reverse order."""

    def repeat(self, data: Data, times: Data) -> Array:
        """So many copies of the string, '' for less than one; works on bytes."""

    def pad(self, data: Array, length: Data, fill: str, side: PadSide) -> Array:
        """The first `length` characters, with characters of `fill` added at a side up to that.

        `fill` is repeated; '' adds nothing. A length below 1 gives ''.
        """

    def position(self, data: Array, text: str, start: Data) -> Array:
        """Where a text is first found at or behind the position `start`: from 1, 0 for nowhere.

        1 for the text '' at any start; 0 where `start` is below 1; int32.
        """

    def replace(self, data: Array, text: str, replacement: str) -> Array:
        """Each occurrence of a text, which is not '', replaced; works on bytes."""

    def translate(self, data: Array, characters: Mapping[str, str]) -> Array:
        """Each of these characters replaced by another one, or by ''."""

    def before_delimiter(self, data: Array, delimiter: str, count: int) -> Array:
        """What stands before the occurrence number `count` of a delimiter, from the left.

        For a negative count what stands behind it, from the right. The whole string where there
        are fewer; '' for the count 0 or the delimiter ''. Occurrences may overlap; works on bytes.
        """

    def split(self, data: Array, delimiter: str, data_type: ArrayType) -> Array:
        """The pieces between the occurrences of a delimiter, which is not '', as a list."""

    def split_part(self, data: Array, delimiter: str, number: Data) -> Array:
        """Piece `number` of such pieces, from 1, or from the last one if it is negative.

        '' for numbers beyond; `number` is not 0. The delimiter '' gives one piece.
        """

    def join(self, separator: Data, parts: Sequence[Data]) -> Array:
        """Strings, and strings in lists, with a separator between them; nulls are left out.

        Null where the separator is null.
        """

    def code_point(self, data: Array) -> Array:
        """The first character's code point, 0 for '', int32."""

    def of_code(self, data: Array) -> Array:
        """The character of the lowest byte of an int64, '' for negative ones."""

    def soundex(self, data: Array) -> Array:
        """The Soundex code of a string that begins with an ASCII letter; others are unchanged."""

    def mask(self, data: Array, replacements: Mapping[str, str]) -> Array:
        """Letters, digits and others replaced by one character each, where there is one for them.

        The keys are `upper`, `lower`, `digit` and `other`. Of characters outside the Basic
        Multilingual Plane each is two others.
        """

    def find_in_set(self, data: Array, words: Sequence[str]) -> Array:
        """The number of the first word that equals the string, from 1; 0 for none; int32."""

    def levenshtein(self, left: Array, right: Data) -> Array:
        """The edits that turn one string into the other, int32."""

    def passes_luhn(self, data: Array) -> Array:
        """Whether the string is digits whose last one is their Luhn checksum; '' is not."""

    def quote(self, data: Array) -> Array:
        """The string in single quotes, with a backslash before those that it has."""
