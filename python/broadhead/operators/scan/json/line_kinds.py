"""Which lines of a block may be plain JSON objects.

Arrow's parser is stricter than Spark's, except for the cases that this module finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from broadhead.operators.scan.text.lines import Lines

_WORDS = (b"NaN", b"Inf")
"""Numbers that both parsers know, in other spellings and only if an option allows them."""

_LONGEST_NUMBER = 1000
_DEEPEST = 1000
_LONGEST_NAME = 50_000
"""Spark's parser raises for longer and deeper ones."""


def odd_lines(lines: Lines) -> Any:
    """Mask of the lines that only Spark's parser can read."""
    characters = lines.characters
    last = np.maximum(lines.ends - 1, 0)
    first = np.minimum(lines.starts, len(characters) - 1)
    # a line that starts and ends so has exactly one object if the block has as many as lines
    odd = (characters[first] != ord("{")) | (characters[last] != ord("}"))
    odd |= lines.starts == lines.ends
    odd |= lines.malformed()
    sizes = lines.ends - lines.starts
    if int(sizes.max()) >= _LONGEST_NUMBER:
        odd |= _beyond_limits(lines, sizes)
    return odd


def may_all_be_read(lines: Lines) -> bool:
    """Whether the lines have neither malformed characters nor what is beyond a parser's limits."""
    return lines.is_ascii and int((lines.ends - lines.starts).max()) < _LONGEST_NUMBER


def having_words(lines: Lines) -> Any:
    """Mask of the lines that may have numbers that are words."""
    characters = lines.characters
    found = np.zeros(len(lines), bool)
    for word in _WORDS:
        count = len(characters) - len(word) + 1
        same = [characters[i : i + count] == letter for i, letter in enumerate(word)]
        positions = np.flatnonzero(np.logical_and.reduce(same))
        if len(positions):
            found |= lines.counts_of(positions) > 0
    return found


def _beyond_limits(lines: Lines, sizes: Any) -> Any:
    """Mask of the lines that may have longer or deeper values than Spark's parser takes."""
    characters = lines.characters
    opening = (characters == ord("{")) | (characters == ord("["))
    odd = lines.counts_of(np.flatnonzero(opening)) > _DEEPEST
    ends = opening | (characters == ord(",")) | (characters == ord('"')) | (characters == ord(" "))
    positions = np.flatnonzero(ends)
    bounds = np.concatenate([positions, lines.starts, lines.ends])
    bounds.sort()
    long = bounds[:-1][np.diff(bounds) >= _LONGEST_NUMBER]
    odd |= lines.counts_of(long) > 0
    return odd | (sizes > _LONGEST_NAME)
