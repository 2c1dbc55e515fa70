"""Functions of regular expressions.

The planner has parsed the pattern: the fields say how RE2 reads it (`JavaPattern` in Scala).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.operands import arrays, nulls
from broadhead.functions.operands import literal as literal_of
from broadhead.functions.registry import BOOLEAN, INT, STRING, function
from broadhead.kernels.interface.patterns import Pattern
from broadhead.registry import Allowed, Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE
from broadhead.types import INTEGER, ArrayType
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

PATTERN: Mapping[str, Allowed] = dict.fromkeys(("re2", "literal", "lineEnd", "asciiOnly"), "any")
NO_LIMIT = (-1, 0)
MARK = "\uffff"
"""A code point that is no character."""
NOTE = "patterns that RE2 reads like Java, as literals"


@function(
    "rlike",
    spark="RLike",
    signatures=[Signature((STRING, STRING), BOOLEAN, literal=(1,))],
    fields=PATTERN,
    note=NOTE,
)
def rlike(
    k: Kernels,
    text: Column,
    pattern: Column,
    *,
    re2: str | None,
    literal: str | None,
    line_end: bool,
    ascii_only: bool,
) -> Column:
    """Whether a string has a match of a regular expression.

    >>> SELECT rlike('Spark SQL', 'S.*k')
    true
    """
    data, _ = arrays(k, [text, pattern])
    if re2 is None:
        return Column(nulls(k, BOOLEAN_TYPE, k.columns.length(data)), BOOLEAN_TYPE)
    if literal is not None:
        found = k.strings.contains(data, k.columns.scalar(literal, STRING_TYPE))
    else:
        found = k.patterns.matches(data, Pattern(re2, line_end, ascii_only))
    return Column(found, BOOLEAN_TYPE)


@function(
    "regexp_extract",
    spark="RegExpExtract",
    signatures=[Signature((STRING, STRING, INT), STRING, literal=(1, 2))],
    fields=PATTERN,
    note=NOTE,
)
def regexp_extract(
    k: Kernels,
    text: Column,
    pattern: Column,
    group: Column,
    *,
    re2: str | None,
    line_end: bool,
    ascii_only: bool,
) -> Column:
    """The text of a group in the first match of a regular expression; 0 is the whole match.

    >>> SELECT regexp_extract('100-200', '([0-9]+)-([0-9]+)', 1)
    100
    """
    data, *_ = arrays(k, [text, pattern, group])
    if re2 is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    return Column(k.patterns.extract(data, Pattern(re2, line_end, ascii_only)), STRING_TYPE)


@function(
    "regexp_extract_all",
    spark="RegExpExtractAll",
    signatures=[Signature((STRING, STRING, INT), frozenset({"array"}), literal=(1, 2))],
    fields=PATTERN,
    note=NOTE,
    lag=60,
)
def regexp_extract_all(
    k: Kernels,
    text: Column,
    pattern: Column,
    group: Column,
    *,
    returns: DataType,
    re2: str | None,
    line_end: bool,
    ascii_only: bool,
) -> Column:
    """The texts of a group in all matches of a regular expression; 0 is the whole match.

    >>> SELECT size(regexp_extract_all('100-200, 300-400', '([0-9]+)-([0-9]+)', 1))
    2
    """
    assert isinstance(returns, ArrayType)
    data, *_ = arrays(k, [text, pattern, group])
    if re2 is None:
        return Column(nulls(k, returns, k.columns.length(data)), returns)
    found = k.patterns.extract_all(data, Pattern(re2, line_end, ascii_only), returns)
    return Column(found, returns)


@function(
    "regexp_instr",
    spark="RegExpInStr",
    signatures=[Signature((STRING, STRING, INT), INT, literal=(1, 2))],
    fields=PATTERN,
    note=NOTE,
    lag=40,
)
def regexp_instr(
    k: Kernels,
    text: Column,
    pattern: Column,
    group: Column,
    *,
    re2: str | None,
    line_end: bool,
    ascii_only: bool,
) -> Column:
    """Where the first match of a regular expression begins: from 1, 0 without a match.

    >>> SELECT regexp_instr('100-200', '-[0-9]')
    4
    """
    data, *_ = arrays(k, [text, pattern, group])
    if re2 is None or literal_of(k, group) is None:
        return Column(nulls(k, INTEGER, k.columns.length(data)), INTEGER)
    return Column(k.patterns.position(data, Pattern(re2, line_end, ascii_only)), INTEGER)


@function(
    "regexp_replace",
    spark="RegExpReplace",
    signatures=[
        Signature((STRING, STRING, STRING, INT), STRING, literal=(1, 2, 3), values={3: (1,)})
    ],
    fields={**PATTERN, "template": "any"},
    note=NOTE,
)
def regexp_replace(
    k: Kernels,
    text: Column,
    pattern: Column,
    *others: Column,
    re2: str | None,
    template: str | None,
    line_end: bool,
    ascii_only: bool,
) -> Column:
    """The string with all matches of a regular expression replaced.

    >>> SELECT regexp_replace('100-200', '([0-9]+)', 'num')
    num-num
    """
    data, *_ = arrays(k, [text, pattern, *others])
    if re2 is None or template is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    found = k.patterns.replace(data, Pattern(re2, line_end, ascii_only), template)
    return Column(found, STRING_TYPE)


@function(
    "split",
    spark="StringSplit",
    signatures=[
        Signature((STRING, STRING, INT), frozenset({"array"}), literal=(1, 2), values={2: NO_LIMIT})
    ],
    fields=PATTERN,
    note=NOTE,
)
def split(
    k: Kernels,
    text: Column,
    pattern: Column,
    limit: Column,
    *,
    returns: DataType,
    re2: str | None,
    literal: str | None,
    line_end: bool,
    ascii_only: bool,
) -> Column:
    """The substrings of a string between the matches of a regular expression.

    >>> SELECT size(split('oneAtwoBthreeC', '[ABC]', -1))
    4
    """
    assert isinstance(returns, ArrayType)
    data, *_ = arrays(k, [text, pattern, limit])
    if re2 is None:
        return Column(nulls(k, returns, k.columns.length(data)), returns)
    if literal is not None:
        return Column(k.characters.split(data, literal, returns), returns)
    marked = k.patterns.replace(_without_marks(k, data), Pattern(re2, line_end, ascii_only), MARK)
    return Column(k.characters.split(marked, MARK, returns), returns)


def _without_marks(k: Kernels, data: Array) -> Array:
    """The strings; raises EngineLimit if one has the character that marks the matches."""
    if k.logic.any(k.logic.is_true(k.strings.contains(data, k.columns.scalar(MARK, STRING_TYPE)))):
        raise EngineLimit("a string has the character by which split marks matches")
    return data
