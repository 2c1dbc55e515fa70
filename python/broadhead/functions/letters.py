"""Functions of single characters, and of strings letter by letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, literal, nulls, row_count
from broadhead.functions.registry import BOOLEAN, INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE
from broadhead.types import INTEGER
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

LONG = frozenset({"long"})
STRING_TO_STRING = (Signature((STRING,), STRING),)
LAST_UTF_16_UNIT = 0xFFFF
DELETED = "\0"
"""The replacement that `translate` takes for none."""


@function("initcap", spark="InitCap", signatures=STRING_TO_STRING)
def initcap(k: Kernels, text: Column) -> Column:
    """The string with each word's first letter in title case, the others in lower case.

    >>> SELECT initcap('sPark sql')
    Spark Sql
    """
    return Column(k.characters.initcap(text.data), STRING_TYPE)


@function("reverse", spark="Reverse", signatures=STRING_TO_STRING)
def reverse(k: Kernels, text: Column) -> Column:
    """The characters of a string in reverse order.

    >>> SELECT reverse('Spark SQL')
    LQS krapS
    """
    return Column(k.characters.reverse(text.data), STRING_TYPE)


@function(
    "translate",
    spark="StringTranslate",
    signatures=[Signature((STRING, STRING, STRING), STRING, literal=(1, 2))],
    note="the characters are literals",
)
def translate(k: Kernels, text: Column, characters: Column, replacements: Column) -> Column:
    """The string with characters replaced by those at the same positions of another string.

    Characters without such a position are removed.

    >>> SELECT translate('AaBbCc', 'abc', '12')
    A1B2C
    """
    (data, *_) = arrays(k, [text, characters, replacements])
    of, to = literal(k, characters), literal(k, replacements)
    if of is None or to is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    pairs: dict[str, str] = {}
    for position, character in enumerate(of):
        target = to[position] if position < len(to) else DELETED
        pairs.setdefault(character, "" if target == DELETED else target)
    return Column(k.characters.translate(data, pairs), STRING_TYPE)


@function(
    "mask",
    spark="Mask",
    signatures=[Signature((STRING,) * 5, STRING, literal=(1, 2, 3, 4))],
)
def mask(k: Kernels, text: Column, *replacements: Column) -> Column:
    """The string with its letters and digits replaced.

    >>> SELECT mask('abcd-EFGH-8765')
    xxxx-XXXX-nnnn
    """
    data, *_ = arrays(k, [text, *replacements])
    names = ("upper", "lower", "digit", "other")
    values = [literal(k, replacement) for replacement in replacements]
    chosen = {
        name: value if ord(value) <= LAST_UTF_16_UNIT else "?"  # half of it is left in Java
        for name, value in zip(names, values, strict=True)
        if value is not None
    }
    return Column(k.characters.mask(data, chosen), STRING_TYPE)


@function("ascii", spark="Ascii", signatures=[Signature((STRING,), INT)])
def ascii_(k: Kernels, text: Column) -> Column:
    """The code point of a string's first character, 0 for an empty string.

    >>> SELECT ascii('Spark')
    83
    """
    return Column(k.characters.code_point(text.data), INTEGER)


@function("chr", spark="Chr", signatures=[Signature((LONG,), STRING)])
def chr_(k: Kernels, number: Column) -> Column:
    """The character of a number modulo 256; empty for negative numbers.

    >>> SELECT chr(65)
    A
    """
    return Column(k.characters.of_code(number.data), STRING_TYPE)


@function("soundex", spark="SoundEx", signatures=STRING_TO_STRING)
def soundex(k: Kernels, text: Column) -> Column:
    """The Soundex code of a string.

    >>> SELECT soundex('Miller')
    M460
    """
    return Column(k.characters.soundex(text.data), STRING_TYPE)


@function(
    "levenshtein",
    spark="Levenshtein",
    signatures=[
        Signature((STRING, STRING), INT),
        Signature((STRING, STRING, INT), INT, literal=(2,)),
    ],
)
def levenshtein(k: Kernels, left: Column, right: Column, *threshold: Column) -> Column:
    """The number of characters to change, insert and remove to make one string of the other.

    -1 where it is more than the threshold.

    >>> SELECT levenshtein('kitten', 'sitting')
    3
    """
    if k.columns.is_scalar(left.data):
        left, right = right, left
    rows = row_count(k, [left, right])
    edits = k.characters.levenshtein(left.data, right.data)
    if not threshold:
        return Column(edits, INTEGER)
    limit = literal(k, threshold[0])
    if limit is None:
        return Column(nulls(k, INTEGER, rows), INTEGER)
    few = k.compare.compare("less_equal", edits, k.columns.scalar(limit, INTEGER))
    none = k.logic.is_null(edits)
    bounded = k.logic.if_else(few, edits, k.columns.scalar(-1, INTEGER))
    return Column(k.logic.null_where(bounded, none), INTEGER)


@function(
    "luhn_check",
    spark="ExpressionImplUtils.isLuhnNumber",
    signatures=[Signature((STRING,), BOOLEAN)],
)
def luhn_check(k: Kernels, text: Column) -> Column:
    """Whether a string is a number with a valid Luhn checksum, as those of credit cards.

    >>> SELECT luhn_check('8112189876')
    true
    """
    return Column(k.characters.passes_luhn(text.data), BOOLEAN_TYPE)


@function("quote", spark="ExpressionImplUtils.quote", signatures=STRING_TO_STRING)
def quote(k: Kernels, text: Column) -> Column:
    """The string in single quotes, with backslashes before those in it.

    >>> SELECT length(quote('abc'))
    5
    """
    return Column(k.characters.quote(text.data), STRING_TYPE)
