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

    `line_end`: whether it has a `$`, which also matches before a line end at the end of a
    string. `ascii_only`: whether RE2 reads it like Java for ASCII alone.
    """

    re2: str
    line_end: bool
    ascii_only: bool


class Patterns(Protocol):
    """Functions of strings and a pattern, with the first match from the left.

    One value a row, null for null. `EngineLimit` is raised for strings that are not UTF-8, and for
    others that RE2 may read differently than Java: `Pattern` says which.
    """

    def matches(self, data: Array, pattern: Pattern) -> Array:
        """Whether the pattern is found anywhere in the string; null for null. Spark's `rlike`."""

    def extract(self, data: Array, pattern: Pattern) -> Array:
        """The text of the group `g` of the first match; null for null. Spark's `regexp_extract`.

        '' without a match, and if the group took no part in it.
        """

    def extract_all(self, data: Array, pattern: Pattern, data_type: ArrayType) -> Array:
        """Lists of the texts of the group `g` of all matches; null for null, empty without a match.

        It is the only group, and '' where it took no part in a match. The pattern matches no empty
        text. Spark's `regexp_extract_all`.
        """

    def count(self, data: Array, pattern: Pattern) -> Array:
        """How many matches there are, int32; null for null. Spark's `regexp_count`.

        They do not overlap. The pattern may have the group `g`, and matches no empty text.
        """

    def position(self, data: Array, pattern: Pattern) -> Array:
        """Where the first match begins, in characters from 1, int32; null for null.

        0 without a match. The pattern has no group. Raises `EngineLimit` for characters beyond
        U+FFFF before a match, which Spark's versions count differently. Spark's `regexp_instr`.
        """

    def replace(self, data: Array, pattern: Pattern, template: str) -> Array:
        r"""All matches replaced by the template; null for null. Spark's `regexp_replace`.

        `\0` to `\9` in the template are the texts of groups. The pattern matches no empty text.
        Raises `EngineLimit` if the strings of the result exceed 2 GiB.
        """
