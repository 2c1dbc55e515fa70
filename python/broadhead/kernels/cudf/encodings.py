"""Texts for bytes or numbers, and back.

Computed on the host: libcudf has few of these functions, and their rules are Java's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from broadhead.kernels.arrow import encodings as on_arrow
from broadhead.kernels.cudf.host import on_host, on_host_checked

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column
    from broadhead.kernels.interface.encodings import Algorithm, Charset


def digest(data: Column, algorithm: Algorithm) -> Column:
    """The digest as hexadecimal digits, in lower case."""
    return on_host(on_arrow.digest, data, algorithm)


def crc32(data: Column) -> Column:
    """The CRC-32 of the bytes, int64."""
    return on_host(on_arrow.crc32, data)


def set_bits(data: Column) -> Column:
    """How many bits of the bytes are set, int64."""
    return on_host(on_arrow.set_bits, data)


def hex(data: Column) -> Column:
    """The bytes, or the bits of an int64 without leading zeros, as digits in upper case."""
    return on_host(on_arrow.hex, data)


def unhex(data: Column) -> tuple[Column, Column | None]:
    """The bytes of hexadecimal digits; of an odd number, the first one is a byte alone."""
    return on_host_checked(on_arrow.unhex, data)


def binary_digits(data: Column) -> Column:
    """The bits of an int64 without leading zeros."""
    return on_host(on_arrow.binary_digits, data)


def convert_base(data: Column, base: int, to: int) -> Column:
    """A number in another base, from 2 to 36; negative bases have negative numbers."""
    return on_host(on_arrow.convert_base, data, base, to)


def base64(data: Column, *, lines: bool) -> Column:
    """Base64 with padding, in lines of 76 characters between CR LF if `lines`."""
    return on_host(partial(on_arrow.base64, lines=lines), data)


def unbase64(data: Column, *, strict: bool) -> Column:
    """The bytes of Base64, other characters ignored if not `strict`."""
    return on_host(partial(on_arrow.unbase64, strict=strict), data)


def url_encode(data: Column) -> Column:
    """Form encoding: spaces as `+`, UTF-8 bytes as `%` and two digits."""
    return on_host(on_arrow.url_encode, data)


def url_decode(data: Column) -> Column:
    """The text of a form encoding; raises `EngineLimit` for what is none."""
    return on_host(on_arrow.url_decode, data)


def encode(data: Column, charset: Charset) -> tuple[Column, Column | None]:
    """The bytes in a character set, UTF-16 big-endian behind a mark, UTF-32 without one."""
    return on_host_checked(on_arrow.encode, data, charset)


def decode(data: Column, charset: Charset) -> tuple[Column, Column | None]:
    """The text of bytes; fails for invalid ones. UTF-16 and UTF-32 may begin with a mark."""
    return on_host_checked(on_arrow.decode, data, charset)


def is_well_formed(data: Column) -> Column:
    """Whether the strings are valid UTF-8."""
    return on_host(on_arrow.is_well_formed, data)


def made_well_formed(data: Column) -> Column:
    """U+FFFD instead of each part of invalid UTF-8 that begins as a character does."""
    return on_host(on_arrow.made_well_formed, data)
