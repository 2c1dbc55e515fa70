"""Functions of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import literal, nulls, row_count
from broadhead.functions.registry import BINARY, BOOLEAN, INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels, Side
    from broadhead.types import DataType

STRING_TO_STRING = (Signature((STRING,), STRING),)
PREDICATE = (Signature((STRING, STRING), BOOLEAN),)
TRIM = (Signature((STRING,), STRING), Signature((STRING, STRING), STRING, literal=(1,)))
BITS_IN_BYTE = 8


@function("upper", spark="Upper", signatures=STRING_TO_STRING, null_intolerant=True)
def upper(k: Kernels, text: Column, *, returns: DataType) -> Column:
    """The string in upper case.

    >>> SELECT upper('Straße')
    STRASSE
    """
    return Column(k.strings.upper(text.data), returns)


@function("lower", spark="Lower", signatures=STRING_TO_STRING, null_intolerant=True)
def lower(k: Kernels, text: Column, *, returns: DataType) -> Column:
    """The string in lower case.

    >>> SELECT lower('Spark')
    spark
    """
    return Column(k.strings.lower(text.data), returns)


@function(
    "length", spark="Length", signatures=[Signature((STRING | BINARY,), INT)], null_intolerant=True
)
def length(k: Kernels, text: Column) -> Column:
    """Number of characters of a string, or of bytes of a binary.

    >>> SELECT length('äöü')
    3
    """
    count = k.strings.length if text.type.name == "string" else k.strings.byte_length
    return Column(count(text.data), INTEGER)


@function("octet_length", spark="OctetLength", signatures=[Signature((STRING | BINARY,), INT)])
def octet_length(k: Kernels, text: Column) -> Column:
    """Number of bytes.

    >>> SELECT octet_length('äöü')
    6
    """
    return Column(k.strings.byte_length(text.data), INTEGER)


@function("bit_length", spark="BitLength", signatures=[Signature((STRING | BINARY,), INT)])
def bit_length(k: Kernels, text: Column) -> Column:
    """Number of bits.

    >>> SELECT bit_length('a')
    8
    """
    bytes_ = k.strings.byte_length(text.data)
    bits = k.columns.scalar(BITS_IN_BYTE, INTEGER)
    return Column(k.arithmetic.multiply(bytes_, bits), INTEGER)


@function(
    "substring",
    spark="Substring",
    signatures=[Signature((STRING, INT, INT), STRING)],
    null_intolerant=True,
)
def substring(
    k: Kernels, text: Column, position: Column, length: Column, *, returns: DataType
) -> Column:
    """That many characters from a position; the first is 1, negative ones count from the end.

    >>> SELECT substring('Spark SQL', 7, 3)
    SQL
    """
    data = k.columns.full(text.data, row_count(k, [text, position, length]))
    return Column(k.strings.substring(data, position.data, length.data), returns)


@function(
    "concat",
    spark="Concat",
    signatures=[Signature((STRING, STRING), STRING, variadic=True)],
    null_intolerant=True,
)
def concat(k: Kernels, *texts: Column, returns: DataType) -> Column:
    """The concatenated strings; null if one is null.

    >>> SELECT concat('Spark', 'SQL')
    SparkSQL
    """
    return Column(k.strings.concat([text.data for text in texts]), returns)


def _trim(k: Kernels, side: Side, texts: tuple[Column, ...], returns: DataType) -> Column:
    """Removes spaces, or the characters of the second string, from the first."""
    text = texts[0]
    characters = literal(k, texts[1]) if len(texts) > 1 else " "
    rows = row_count(k, texts)
    if characters is None:
        return Column(nulls(k, returns, rows), returns)
    return Column(k.strings.trim(k.columns.full(text.data, rows), side, characters), returns)


@function("trim", spark="StringTrim", signatures=TRIM, null_intolerant=True)
def trim(k: Kernels, *texts: Column, returns: DataType) -> Column:
    """The string without spaces, or other given characters, at both ends.

    >>> SELECT trim(BOTH 'x' FROM 'xaxx')
    a
    """
    return _trim(k, "both", texts, returns)


@function("ltrim", spark="StringTrimLeft", signatures=TRIM, null_intolerant=True)
def ltrim(k: Kernels, *texts: Column, returns: DataType) -> Column:
    """The string without spaces, or other given characters, at its start.

    >>> SELECT ltrim('  a')
    a
    """
    return _trim(k, "leading", texts, returns)


@function("rtrim", spark="StringTrimRight", signatures=TRIM, null_intolerant=True)
def rtrim(k: Kernels, *texts: Column, returns: DataType) -> Column:
    """The string without spaces, or other given characters, at its end.

    >>> SELECT rtrim('a  ')
    a
    """
    return _trim(k, "trailing", texts, returns)


@function("startswith", spark="StartsWith", signatures=PREDICATE, null_intolerant=True)
def startswith(k: Kernels, text: Column, pattern: Column) -> Column:
    """Whether a string starts with another.

    >>> SELECT startswith('Spark SQL', 'Spark')
    true
    """
    return Column(k.strings.starts_with(text.data, pattern.data), BOOLEAN_TYPE)


@function("endswith", spark="EndsWith", signatures=PREDICATE, null_intolerant=True)
def endswith(k: Kernels, text: Column, pattern: Column) -> Column:
    """Whether a string ends with another.

    >>> SELECT endswith('Spark SQL', 'SQL')
    true
    """
    return Column(k.strings.ends_with(text.data, pattern.data), BOOLEAN_TYPE)


@function("contains", spark="Contains", signatures=PREDICATE, null_intolerant=True)
def contains(k: Kernels, text: Column, pattern: Column) -> Column:
    """Whether a string contains another.

    >>> SELECT contains('Spark SQL', 'k S')
    true
    """
    return Column(k.strings.contains(text.data, pattern.data), BOOLEAN_TYPE)
