"""Functions that make strings longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, literal, nulls
from broadhead.functions.registry import INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels, PadSide

# Spark 3.5 raises an error for the shortest length there is.
PAD = (Signature((STRING, INT, STRING), STRING, literal=(2,), since="4.0"),)


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


@function(
    "repeat", spark="StringRepeat", signatures=[Signature((STRING, INT), STRING)], costly=True
)
def repeat(k: Kernels, text: Column, times: Column) -> Column:
    """The string so many times.

    >>> SELECT repeat('ab', 3)
    ababab
    """
    return Column(k.characters.repeat(text.data, times.data), STRING_TYPE)


@function("space", spark="StringSpace", signatures=[Signature((INT,), STRING)], costly=True)
def space(k: Kernels, count: Column) -> Column:
    """So many spaces.

    >>> SELECT concat(space(2), '1')
      1
    """
    blank = k.columns.scalar(" ", STRING_TYPE)
    return Column(k.characters.repeat(blank, count.data), STRING_TYPE)
