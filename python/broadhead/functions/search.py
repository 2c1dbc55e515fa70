"""Functions that search in strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.operands import arrays, literal, nulls, require
from broadhead.functions.registry import INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import INTEGER
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1


def _position(k: Kernels, text: Column, part: Column, start: Column) -> Array:
    (data, _) = arrays(k, [text, part])
    value = literal(k, part)
    if value is None:
        return nulls(k, INTEGER, k.columns.length(data))
    return k.characters.position(data, value, start.data)


@function(
    "locate",
    spark="StringLocate",
    signatures=[Signature((STRING, STRING, INT), INT, literal=(0,))],
    note="what is searched for is a literal",
)
def locate(k: Kernels, part: Column, text: Column, start: Column) -> Column:
    """The position of a string in another one, from a position on; 0 if it is not there.

    >>> SELECT locate('bar', 'foobarbar', 5)
    7
    """
    data, starts, _ = arrays(k, [text, start, part])
    found = _position(k, Column(data, STRING_TYPE), part, Column(starts, INTEGER))
    zero = k.columns.scalar(0, INTEGER)
    return Column(k.logic.if_else(k.logic.is_null(starts), zero, found), INTEGER)


@function(
    "instr",
    spark="StringInstr",
    signatures=[Signature((STRING, STRING), INT, literal=(1,))],
    note="what is searched for is a literal",
)
def instr(k: Kernels, text: Column, part: Column) -> Column:
    """The position of a string in another one; 0 if it is not there.

    >>> SELECT instr('Spark SQL', 'SQL')
    7
    """
    start = Column(k.columns.scalar(1, INTEGER), INTEGER)
    return Column(_position(k, text, part, start), INTEGER)


@function(
    "replace",
    spark="StringReplace",
    signatures=[Signature((STRING, STRING, STRING), STRING, literal=(1, 2))],
    note="what is replaced, and by what, are literals",
)
def replace(k: Kernels, text: Column, part: Column, replacement: Column) -> Column:
    """The string with each occurrence of another one replaced.

    >>> SELECT replace('ABCabc', 'abc', 'DEF')
    ABCDEF
    """
    (data, *_) = arrays(k, [text, part, replacement])
    of, to = literal(k, part), literal(k, replacement)
    if of is None or to is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    return Column(k.characters.replace(data, of, to) if of else data, STRING_TYPE)


@function("overlay", spark="Overlay", signatures=[Signature((STRING, STRING, INT, INT), STRING)])
def overlay(
    k: Kernels, text: Column, replacement: Column, position: Column, length: Column
) -> Column:
    """The string with characters from a position on replaced, as many as the replacement has.

    >>> SELECT overlay('Spark SQL' PLACING 'ANSI ' FROM 7 FOR 0)
    Spark ANSI SQL
    """
    data, other, starts, lengths = arrays(k, [text, replacement, position, length])
    zero, one = k.columns.scalar(0, INTEGER), k.columns.scalar(1, INTEGER)
    own = k.compare.compare("less", lengths, zero)
    taken = k.logic.if_else(own, k.strings.length(other), lengths)
    taken = k.logic.null_where(taken, k.logic.is_null(lengths))
    rest = k.columns.scalar(GREATEST, INTEGER)
    last = k.arithmetic.subtract(rest, taken)
    beyond = k.compare.compare("less", last, starts)
    least = k.compare.compare("equal", starts, k.columns.scalar(LEAST, INTEGER))
    # Spark 4.3 stops at the ends of the integers, the versions before wrap around.
    if k.logic.any(beyond) or k.logic.any(least):
        raise EngineLimit("a position of overlay is beyond the integers")
    head = k.strings.substring(data, one, k.arithmetic.subtract(starts, one))
    tail = k.strings.substring(data, k.arithmetic.add(starts, taken), rest)
    return Column(k.strings.concat([head, other, tail]), STRING_TYPE)


@function(
    "substring_index",
    spark="SubstringIndex",
    signatures=[Signature((STRING, STRING, INT), STRING, literal=(1, 2))],
    note="the delimiter and the count are literals",
)
def substring_index(k: Kernels, text: Column, delimiter: Column, count: Column) -> Column:
    """What stands before so many occurrences of a delimiter; behind them, for a negative count.

    >>> SELECT substring_index('www.apache.org', '.', 2)
    www.apache
    """
    (data, *_) = arrays(k, [text, delimiter, count])
    mark, number = literal(k, delimiter), literal(k, count)
    if mark is None or number is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    return Column(k.characters.before_delimiter(data, mark, number), STRING_TYPE)


@function(
    "split_part",
    spark="SplitPart",
    signatures=[Signature((STRING, STRING, INT), STRING, literal=(1,))],
    raises=True,
    note="the delimiter is a literal",
)
def split_part(k: Kernels, text: Column, delimiter: Column, number: Column) -> Column:
    """One of the substrings of a string between delimiters, counted from the end if it is negative.

    >>> SELECT split_part('11.12.13', '.', -1)
    13
    """
    data, numbers, _ = arrays(k, [text, number, delimiter])
    mark = literal(k, delimiter)
    if mark is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    for wrong in (0, LEAST):  # Spark's array has no element for the least integer either
        here = k.compare.compare("equal", numbers, k.columns.scalar(wrong, INTEGER))
        require(k, k.logic.and_(here, k.logic.is_valid(data)), "INVALID_INDEX_OF_ZERO")
    return Column(k.characters.split_part(data, mark, numbers), STRING_TYPE)


@function(
    "find_in_set",
    spark="FindInSet",
    signatures=[Signature((STRING, STRING), INT, literal=(1,))],
    note="the list is a literal",
)
def find_in_set(k: Kernels, word: Column, words: Column) -> Column:
    """The number of a word in a list with commas, from 1; 0 if it is not there.

    >>> SELECT find_in_set('ab', 'abc,b,ab,c,def')
    3
    """
    (data, _) = arrays(k, [word, words])
    listed = literal(k, words)
    if listed is None:
        return Column(nulls(k, INTEGER, k.columns.length(data)), INTEGER)
    return Column(k.characters.find_in_set(data, listed.split(",")), INTEGER)
