"""Texts for bytes or numbers, and back: hexadecimal digits, Base64, URLs, character sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import checked, literal, nulls, row_count
from broadhead.functions.registry import BINARY, BOOLEAN, INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import BINARY as BINARY_TYPE
from broadhead.types import BOOLEAN as BOOLEAN_TYPE
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.kernels.interface.encodings import Charset

LONG_NAME = frozenset({"long"})
TO_TEXT = (Signature((STRING,), STRING),)
CHARSETS: tuple[Charset, ...] = (
    "US-ASCII",
    "ISO-8859-1",
    "UTF-8",
    "UTF-16BE",
    "UTF-16LE",
    "UTF-16",
    "UTF-32",
)
CHARSET_OF: dict[str, Charset] = {
    name: charset for charset in CHARSETS for name in (charset, charset.lower())
}
MALFORMED = "MALFORMED_CHARACTER_CODING"
INVALID = "CONVERSION_INVALID_INPUT"
MOST_BASE = 36
BASES = tuple(range(2, MOST_BASE + 1))
SIGNED_BASES = (*range(-MOST_BASE, -1), *BASES)


@function("hex", spark="Hex", signatures=[Signature((LONG_NAME | BINARY | STRING,), STRING)])
def hex_(k: Kernels, value: Column) -> Column:
    """The bytes, or the bits of a number, in hexadecimal digits.

    >>> SELECT hex('Spark SQL')
    537061726B2053514C
    """
    return Column(k.encodings.hex(value.data), STRING_TYPE)


@function(
    "unhex",
    spark="Unhex",
    signatures=[Signature((STRING,), BINARY)],
    fields={"failOnError": (True, False)},
    raises=True,
)
def unhex(k: Kernels, text: Column, *, fail_on_error: bool) -> Column:
    """The bytes of hexadecimal digits, null for other texts.

    >>> SELECT CAST(unhex('537061726B2053514C') AS STRING)
    Spark SQL
    """
    result = k.encodings.unhex(text.data)
    return Column(checked(k, result, INVALID, raises=fail_on_error), BINARY_TYPE)


@function("bin", spark="Bin", signatures=[Signature((LONG_NAME,), STRING)])
def bin_(k: Kernels, number: Column) -> Column:
    """The bits of a number without leading zeros.

    >>> SELECT bin(13L)
    1101
    """
    return Column(k.encodings.binary_digits(number.data), STRING_TYPE)


@function(
    "conv",
    spark="Conv",
    signatures=[
        Signature((STRING, INT, INT), STRING, literal=(1, 2), values={1: BASES, 2: SIGNED_BASES})
    ],
    fields={"ansiEnabled": (True, False)},
)
def conv(k: Kernels, text: Column, base: Column, to: Column) -> Column:
    """A number in another base.

    >>> SELECT conv('100', 2, 10)
    4
    """
    bases = literal(k, base), literal(k, to)
    if None in bases:
        return Column(nulls(k, STRING_TYPE, row_count(k, [text, base, to])), STRING_TYPE)
    return Column(k.encodings.convert_base(text.data, *bases), STRING_TYPE)


@function(
    "base64",
    spark="Base64.encode",
    signatures=[Signature((BINARY, BOOLEAN), STRING, literal=(1,), values={1: (True, False)})],
)
def base64(k: Kernels, data: Column, lines: Column) -> Column:
    """Base64, in lines of 76 characters.

    >>> SELECT base64(CAST('Spark SQL' AS BINARY))
    U3BhcmsgU1FM
    """
    return Column(k.encodings.base64(data.data, lines=bool(literal(k, lines))), STRING_TYPE)


@function(
    "unbase64",
    spark="UnBase64",
    signatures=[Signature((STRING,), BINARY)],
    fields={"failOnError": (True, False)},
)
def unbase64(k: Kernels, text: Column, *, fail_on_error: bool) -> Column:
    """The bytes of Base64.

    >>> SELECT CAST(unbase64('U3BhcmsgU1FM') AS STRING)
    Spark SQL
    """
    return Column(k.encodings.unbase64(text.data, strict=fail_on_error), BINARY_TYPE)


@function("url_encode", spark="UrlCodec.encode", signatures=TO_TEXT)
def url_encode(k: Kernels, text: Column) -> Column:
    """The form encoding of URLs.

    >>> SELECT url_encode('https://spark.apache.org')
    https%3A%2F%2Fspark.apache.org
    """
    return Column(k.encodings.url_encode(text.data), STRING_TYPE)


@function(
    "url_decode",
    spark="UrlCodec.decode",
    signatures=[
        *TO_TEXT,
        Signature((STRING, BOOLEAN), STRING, literal=(1,), values={1: (True, False)}),
    ],
)
def url_decode(k: Kernels, text: Column, _fails: Column | None = None) -> Column:
    """The text of a form encoding.

    >>> SELECT url_decode('https%3A%2F%2Fspark.apache.org')
    https://spark.apache.org
    """
    return Column(k.encodings.url_decode(text.data), STRING_TYPE)


@function(
    "encode",
    spark="Encode.encode",
    signatures=[
        Signature(
            (STRING, STRING, BOOLEAN, BOOLEAN),
            BINARY,
            literal=(1, 2, 3),
            values={1: tuple(CHARSET_OF), 2: (False,), 3: (False,)},
        )
    ],
    raises=True,
)
def encode(
    k: Kernels, text: Column, charset: Column, _charsets: Column, _replaces: Column
) -> Column:
    """The bytes of a text in a character set.

    >>> SELECT hex(encode('ä', 'utf-16'))
    FEFF00E4
    """
    name = CHARSET_OF[literal(k, charset) or "UTF-8"]
    result = k.encodings.encode(text.data, name)
    return Column(checked(k, result, MALFORMED, raises=True), BINARY_TYPE)


@function(
    "decode",
    spark="StringDecode.decode",
    signatures=[
        Signature(
            (BINARY, STRING, BOOLEAN, BOOLEAN),
            STRING,
            literal=(1, 2, 3),
            values={1: tuple(CHARSET_OF), 2: (False,), 3: (False,)},
        )
    ],
    raises=True,
)
def decode(
    k: Kernels, data: Column, charset: Column, _charsets: Column, _replaces: Column
) -> Column:
    """The text of bytes in a character set.

    >>> SELECT decode(X'00E4', 'utf-16be')
    ä
    """
    name = CHARSET_OF[literal(k, charset) or "UTF-8"]
    result = k.encodings.decode(data.data, name)
    return Column(checked(k, result, MALFORMED, raises=True), STRING_TYPE)


@function("is_valid_utf8", spark="UTF8String.isValid", signatures=[Signature((STRING,), BOOLEAN)])
def is_valid_utf8(k: Kernels, text: Column) -> Column:
    """Whether a string is valid UTF-8.

    >>> SELECT is_valid_utf8('Spark')
    true
    """
    return Column(k.encodings.is_well_formed(text.data), BOOLEAN_TYPE)


@function("make_valid_utf8", spark="UTF8String.makeValid", signatures=TO_TEXT)
def make_valid_utf8(k: Kernels, text: Column) -> Column:
    """The string with U+FFFD instead of bytes that are not UTF-8.

    >>> SELECT make_valid_utf8('Spark')
    Spark
    """
    return Column(k.encodings.made_well_formed(text.data), STRING_TYPE)


@function(
    "validate_utf8",
    spark="ExpressionImplUtils.validateUTF8String",
    signatures=TO_TEXT,
    raises=True,
)
def validate_utf8(k: Kernels, text: Column) -> Column:
    """The string, an error if it is not UTF-8.

    >>> SELECT validate_utf8('Spark')
    Spark
    """
    invalid = k.logic.is_true(k.logic.not_(k.encodings.is_well_formed(text.data)))
    return Column(checked(k, (text.data, invalid), "INVALID_UTF8_STRING", raises=True), STRING_TYPE)


@function(
    "try_validate_utf8",
    spark="ExpressionImplUtils.tryValidateUTF8String",
    signatures=TO_TEXT,
)
def try_validate_utf8(k: Kernels, text: Column) -> Column:
    """The string, null if it is not UTF-8.

    >>> SELECT try_validate_utf8('Spark')
    Spark
    """
    invalid = k.logic.is_true(k.logic.not_(k.encodings.is_well_formed(text.data)))
    return Column(k.logic.null_where(text.data, invalid), STRING_TYPE)
