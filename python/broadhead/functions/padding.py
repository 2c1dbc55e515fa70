"""Functions that make strings longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, literal, nulls, require
from broadhead.functions.registry import INT, STRING, Signature, function
from broadhead.types import INTEGER
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels, PadSide

PAD = (Signature((STRING, INT, STRING), STRING, literal=(2,)),)
CHAR_LENGTH = (Signature((STRING, INT), STRING, literal=(1,)),)


def _pad(k: Kernels, text: Column, length: Column, fill: Column, side: PadSide) -> Column:
    data, lengths, _ = arrays(k, [text, length, fill])
    characters = literal(k, fill)
    if characters is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    return Column(k.characters.pad(data, lengths, characters, side), STRING_TYPE)


@function("lpad", spark="StringLPad", signatures=PAD, note="the characters are a literal")
def lpad(k: Kernels, text: Column, length: Column, fill: Column) -> Column:
    """The string with that many characters: some added on the left, or the last ones left out.

    >>> SELECT lpad('hi', 5, '?!')
    ?!?hi
    """
    return _pad(k, text, length, fill, "left")


@function("rpad", spark="StringRPad", signatures=PAD, note="the characters are a literal")
def rpad(k: Kernels, text: Column, length: Column, fill: Column) -> Column:
    """The string with that many characters: some added on the right, or the last ones left out.

    >>> SELECT rpad('hi', 5, '?!')
    hi?!?
    """
    return _pad(k, text, length, fill, "right")


@function("repeat", spark="StringRepeat", signatures=[Signature((STRING, INT), STRING)])
def repeat(k: Kernels, text: Column, times: Column) -> Column:
    """The string so many times.

    >>> SELECT repeat('ab', 3)
    ababab
    """
    return Column(k.characters.repeat(text.data, times.data), STRING_TYPE)


@function("space", spark="StringSpace", signatures=[Signature((INT,), STRING)])
def space(k: Kernels, count: Column) -> Column:
    """So many spaces.

    >>> SELECT concat(space(2), '1')
      1
    """
    blank = k.columns.scalar(" ", STRING_TYPE)
    return Column(k.characters.repeat(blank, count.data), STRING_TYPE)


# Spark adds the following ones to reads and writes of CHAR and VARCHAR columns, without names.
@function("char_padding", spark="CharVarcharCodegenUtils.readSidePadding", signatures=CHAR_LENGTH)
def char_padding(k: Kernels, text: Column, length: Column) -> Column:
    """The value of a CHAR column, with spaces up to its length.

    >>> SELECT concat(rpad('a', 3), '|')
    a  |
    """
    data, lengths = arrays(k, [text, length])
    longer = k.compare.compare("less", lengths, k.strings.length(data))
    return Column(k.logic.if_else(longer, data, _padded(k, data, length)), STRING_TYPE)


def _padded(k: Kernels, data: Array, length: Column) -> Array:
    return k.characters.pad(data, length.data, " ", "right")


def _fitting(k: Kernels, data: Array, lengths: Array) -> Array:
    """The first characters, of which only spaces may be left out."""
    trimmed = k.strings.trim(data, "trailing", " ")
    longer = k.compare.compare("less", lengths, k.strings.length(trimmed))
    require(k, longer, "EXCEED_LIMIT_LENGTH")
    return k.strings.substring(data, k.columns.scalar(1, INTEGER), lengths)


@function(
    "char_length_check",
    spark="CharVarcharCodegenUtils.charTypeWriteSideCheck",
    signatures=CHAR_LENGTH,
    raises=True,
)
def char_length_check(k: Kernels, text: Column, length: Column) -> Column:
    """The value for a CHAR column: with spaces up to its length, or without those beyond.

    >>> SELECT concat(rpad('a', 3), '|')
    a  |
    """
    data, lengths = arrays(k, [text, length])
    return Column(_padded(k, _fitting(k, data, lengths), length), STRING_TYPE)


@function(
    "varchar_length_check",
    spark="CharVarcharCodegenUtils.varcharTypeWriteSideCheck",
    signatures=CHAR_LENGTH,
    raises=True,
)
def varchar_length_check(k: Kernels, text: Column, length: Column) -> Column:
    """The value for a VARCHAR column, without spaces beyond its length.

    >>> SELECT left('ab  ', 2)
    ab
    """
    data, lengths = arrays(k, [text, length])
    return Column(_fitting(k, data, lengths), STRING_TYPE)
