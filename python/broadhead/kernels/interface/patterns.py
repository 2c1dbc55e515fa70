"""Kernels for regular expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array
    from broadhead.types import ArrayType


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression of Java as RE2 reads it.

    `line_end`: whether it has a `$`, which also means the place before a line end at the end of a
    string. `ascii_only`: whether RE2 reads it like Java for ASCII alone.
    """

    re2: str
    line_end: bool
    ascii_only: bool


class Patterns(Protocol):
    """Functions of strings and a pattern, with the first match from the left.

    `EngineLimit` is raised for strings that are not UTF-8, and for others that RE2 may read
    differently than Java.
    """

    def matches(self, data: Array, pattern: Pattern) -> Array:
        """Whether the pattern is found in the string."""

    def extract(self, data: Array, pattern: Pattern) -> Array:
        """The text of the group `g` of the first match, '' without a match."""

    def extract_all(self, data: Array, pattern: Pattern, data_type: ArrayType) -> Array:
        """The texts of the group `g`, the only one, of all matches, as a list; '' without one.

        The pattern matches no empty text.
        """

    def count(self, data: Array, pattern: Pattern) -> Array:
        """How many matches there are, int32; the pattern may have the group `g`.

        The pattern matches no empty text.
        """

    def position(self, data: Array, pattern: Pattern) -> Array:
        """Where the first match begins, in characters from 1; 0 without a match; int32.

        The pattern has no group.
        """

    def replace(self, data: Array, pattern: Pattern, template: str) -> Array:
        r"""All matches replaced; `\0` to `\9` are the texts of groups in the template.

        The pattern matches no empty text.
        """
