"""LIKE, with one pattern for all rows, one for each, or several."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.columns import Column
from broadhead.errors import EngineLimit, WouldRaise
from broadhead.functions.operands import arrays, literal, nulls
from broadhead.functions.registry import BOOLEAN, SAME, STRING, function
from broadhead.registry import Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE
from broadhead.types import LONG
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

MOST_PATTERNS = 1000
"""Different patterns in a batch; with more, Spark is faster."""
ESCAPE = "\\"
"""The escape character of LIKE ALL and LIKE ANY."""


@function(
    "like",
    spark="Like",
    signatures=[Signature((STRING, SAME), BOOLEAN)],
    fields={"escapeChar": "any"},
    raises=True,
    note=f"a pattern for each row: up to {MOST_PATTERNS} different ones in a batch",
)
def like(k: Kernels, text: Column, pattern: Column, *, escape_char: str) -> Column:
    """Whether a string matches a pattern with % for any characters and _ for one character.

    >>> SELECT 'Spark' LIKE 'S_a%'
    true
    """
    (data, patterns) = arrays(k, [text, pattern])
    if not k.columns.is_scalar(pattern.data):
        return Column(_like_each(k, data, patterns, escape_char), BOOLEAN_TYPE)
    value = literal(k, pattern)
    if value is None:
        return Column(nulls(k, BOOLEAN_TYPE, k.columns.length(data)), BOOLEAN_TYPE)
    return Column(_like(k, data, value, escape_char), BOOLEAN_TYPE)


def _like(k: Kernels, data: Array, pattern: str, escape: str) -> Array:
    if not _is_valid_pattern(pattern, escape) and k.logic.any(k.logic.is_valid(data)):
        raise WouldRaise("INVALID_FORMAT")
    return k.strings.like(data, pattern, escape)


def _like_each(k: Kernels, data: Array, patterns: Array, escape: str) -> Array:
    """The strings compared with the pattern of the same row, the rows of a pattern together."""
    numbers = k.columns.to_arrow(patterns, STRING_TYPE).dictionary_encode()
    if len(numbers.dictionary) > MOST_PATTERNS:
        raise EngineLimit(f"LIKE has more than {MOST_PATTERNS} patterns in a batch")
    codes = numbers.indices.fill_null(-1).to_numpy().astype(np.int16)
    order = np.argsort(codes, kind="stable")
    firsts = np.searchsorted(codes[order], np.arange(len(numbers.dictionary) + 1))
    indices = k.columns.from_arrow(pa.array(order[firsts[0] :]), LONG)
    (ordered,) = k.columns.take([data], indices)
    found = []
    bounds = pairwise((firsts - firsts[0]).tolist())
    for pattern, (first, end) in zip(numbers.dictionary.to_pylist(), bounds, strict=True):
        (some,) = k.columns.slice([ordered], first, end - first)
        found.append([_like(k, some, pattern, escape)])
    length = k.columns.length(data)
    if not found:
        return nulls(k, BOOLEAN_TYPE, length)
    (matches,) = k.columns.concat(found)
    return k.columns.put(matches, indices, length)


def _is_valid_pattern(pattern: str, escape: str) -> bool:
    """Whether %, _ or the escape character itself follows each escape character."""
    characters = iter(pattern)
    return all(
        character != escape or next(characters, "") in {"%", "_", escape}
        for character in characters
    )


MANY = (Signature((STRING,), BOOLEAN),)


@function("likeall", spark="LikeAll", signatures=MANY, fields={"patterns": "any"})
def like_all(k: Kernels, text: Column, *, patterns: tuple[str | None, ...]) -> Column:
    """Whether a string matches all of some patterns.

    >>> SELECT 'Spark' LIKE ALL ('S_a%', '%k_')
    false
    """
    return _combined(k, text, patterns, every=True, negated=False)


@function("notlikeall", spark="NotLikeAll", signatures=MANY, fields={"patterns": "any"})
def not_like_all(k: Kernels, text: Column, *, patterns: tuple[str | None, ...]) -> Column:
    """Whether a string matches none of some patterns.

    >>> SELECT 'Spark' NOT LIKE ALL ('S_b%', '%k_')
    true
    """
    return _combined(k, text, patterns, every=True, negated=True)


@function("likeany", spark="LikeAny", signatures=MANY, fields={"patterns": "any"})
def like_any(k: Kernels, text: Column, *, patterns: tuple[str | None, ...]) -> Column:
    """Whether a string matches one of some patterns.

    >>> SELECT 'Spark' LIKE ANY ('S_a%', '%k_')
    true
    """
    return _combined(k, text, patterns, every=False, negated=False)


@function("notlikeany", spark="NotLikeAny", signatures=MANY, fields={"patterns": "any"})
def not_like_any(k: Kernels, text: Column, *, patterns: tuple[str | None, ...]) -> Column:
    """Whether there is a pattern that a string does not match.

    >>> SELECT 'Spark' NOT LIKE ANY ('S_a%', '%k_')
    true
    """
    return _combined(k, text, patterns, every=False, negated=True)


def _combined(
    k: Kernels, text: Column, patterns: tuple[str | None, ...], *, every: bool, negated: bool
) -> Column:
    (data,) = arrays(k, [text])
    unknown = nulls(k, BOOLEAN_TYPE, k.columns.length(data))
    results = [
        unknown if pattern is None else k.strings.like(data, pattern, ESCAPE)
        for pattern in patterns
    ]
    if negated:
        results = [k.logic.not_(result) for result in results]
    combined = reduce(k.logic.and_ if every else k.logic.or_, results)
    return Column(combined, BOOLEAN_TYPE)
