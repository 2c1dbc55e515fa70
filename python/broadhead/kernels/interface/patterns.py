"""Kernels for regular expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array


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

    def replace(self, data: Array, pattern: Pattern, template: str) -> Array:
        r"""All matches replaced; `\0` to `\9` are the texts of groups in the template.

        The pattern matches no empty text.
        """
