"""Texts for bytes or numbers, and back."""

from __future__ import annotations

import binascii
import hashlib
import re
import zlib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text import (
    base64_text,
    base_digits,
    bases,
    bit_digits,
    charsets,
    checksums,
    form_text,
)
from broadhead.kernels.arrow.text.substrings import content, of_content
from broadhead.kernels.arrow.text.unicode_text import totals
from broadhead.kernels.arrow.text.well_formed import check_well_formed

if TYPE_CHECKING:
    from collections.abc import Callable

Array = Any

_ONES = np.array([byte.bit_count() for byte in range(256)], np.int64)
_SAMPLE = 4096
_LONG_TEXT = 256
"""Bytes from which on a loop over them in C is faster than numpy's steps over all rows."""
_LINE = 57
"""Bytes of a line of 76 characters of Base64."""
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_IGNORED = re.compile(rb"[^A-Za-z0-9+/=]+")
_PADDED = re.compile(rb"[^=]*={0,2}[^=A-Za-z0-9+/]*")
_FORM = re.compile(rb"(?:[^%\x80-\xff]|%[0-9A-Fa-f]{2})*")


def _mapped(data: Array, function: Callable[[Any], Any], data_type: pa.DataType) -> Array:
    """`function` of each distinct value, which is bytes for strings."""
    if pa.types.is_string(data.type):
        data = data.view(pa.binary())
    if not _repeats(data):
        values = (None if value is None else function(value) for value in data.to_pylist())
        return _array(list(values), data_type)
    distinct = data.dictionary_encode()
    values = _array(list(map(function, distinct.dictionary.to_pylist())), data_type)
    try:
        return views.contiguous(values.take(distinct.indices))
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"texts of {len(data)} rows: {error}") from error


def _array(values: list[Any], data_type: pa.DataType) -> Array:
    try:
        return views.contiguous(pa.array(values, data_type))
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"texts of {len(values)} rows: {error}") from error


def _repeats(data: Array) -> bool:
    """Whether it seems that half of the values stand for others, too."""
    some = data.slice(0, _SAMPLE)
    return 2 * len(pc.unique(some)) <= len(some)


def _checked(
    data: Array, function: Callable[[Any], Any], data_type: pa.DataType
) -> tuple[Array, Array | None]:
    """The same for a function that gives None where it fails."""
    result = _mapped(data, function, data_type)
    failed = pc.and_(pc.is_null(result), pc.is_valid(data))
    return result, failed if logic.any(failed) else None


def digest(data: Array, algorithm: str) -> Array:
    """The digest as hexadecimal digits, in lower case."""
    made = getattr(hashlib, algorithm)
    found = _mapped(data, lambda value: made(value).digest(), pa.binary())
    return pc.ascii_lower(hex(found))


def crc32(data: Array) -> Array:
    """The CRC-32 of the bytes, int64."""
    lengths = np.diff(views.offsets(data))
    if lengths.max(initial=0) > _LONG_TEXT:
        return _mapped(data, zlib.crc32, pa.int64())
    return views.array(checksums.crc32(data), pa.int64(), data)


def set_bits(data: Array) -> Array:
    """How many bits of the bytes are set, int64."""
    bounds = views.offsets(data).astype(np.int64)
    here = content(data)[bounds[0] : bounds[-1]]
    return views.array(totals(_ONES[here], np.diff(bounds)), pa.int64(), data)


def hex(data: Array) -> Array:
    """The bytes, or the bits of an int64 without leading zeros, as digits in upper case."""
    if pa.types.is_integer(data.type):
        return bit_digits.digits(data, 4)
    bounds = views.offsets(data).astype(np.int64)
    here = content(data)[bounds[0] : bounds[-1]]
    return of_content(
        bit_digits.HEX_OF_BYTE[here].view(np.uint8), np.diff(bounds) * 2, pa.string(), data
    )


def binary_digits(data: Array) -> Array:
    """The bits of an int64 without leading zeros."""
    return bit_digits.digits(data, 1)


def unhex(data: Array) -> tuple[Array, Array | None]:
    """The bytes of hexadecimal digits; of an odd number, the first one is a byte alone."""
    return bit_digits.bytes_of(data)


def convert_base(data: Array, base: int, to: int) -> Array:
    """A number in another base, from 2 to 36; negative bases have negative numbers."""
    found, taken = base_digits.converted(data, base, abs(to))
    mask = pa.array(~taken)
    if not logic.any(mask):
        return found
    rest = _mapped(data.filter(mask), lambda text: bases.converted(text, base, to), pa.string())
    return views.contiguous(pc.replace_with_mask(found, mask, rest))


def base64(data: Array, *, lines: bool) -> Array:
    """Base64 with padding, in lines of 76 characters between CR LF if `lines`."""
    if lines and np.diff(views.offsets(data)).max(initial=0) > _LINE:
        return _mapped(data, _in_lines, pa.string())
    return base64_text.encoded(data)


def _in_lines(value: bytes) -> str:
    starts = range(0, len(value), _LINE)
    lines = (binascii.b2a_base64(value[n : n + _LINE], newline=False) for n in starts)
    return b"\r\n".join(lines).decode()


def unbase64(data: Array, *, strict: bool) -> Array:
    """The bytes of Base64, other characters ignored if not `strict`."""
    found, others = base64_text.decoded(data, strict=strict)
    mask = views.array(others, pa.bool_(), data)
    if not logic.any(mask):
        return found
    decode_one = _strictly_decoded if strict else _mime_decoded
    rest = _mapped(data.filter(mask), decode_one, pa.binary())
    return views.contiguous(pc.replace_with_mask(found, pc.fill_null(mask, False), rest))


def _strictly_decoded(text: bytes) -> bytes:
    if not _BASE64.fullmatch(text):
        raise EngineLimit("a text that may be no Base64")
    return binascii.a2b_base64(text)


def _mime_decoded(text: bytes) -> bytes:
    if not _PADDED.fullmatch(text):
        raise EngineLimit("Base64 with padding elsewhere")
    plain = _IGNORED.sub(b"", text)
    return _strictly_decoded(plain if b"=" in plain else plain + b"=" * (-len(plain) % 4))


def url_encode(data: Array) -> Array:
    """Form encoding: spaces as `+`, UTF-8 bytes as `%` and two digits."""
    check_well_formed(data)
    return form_text.encoded(data)


def url_decode(data: Array) -> Array:
    """The text of a form encoding; raises `EngineLimit` for what is none."""
    found = form_text.decoded(data)
    return _mapped(data, _form_decoded, pa.string()) if found is None else found


def _form_decoded(text: bytes) -> str:
    if not _FORM.fullmatch(text):
        raise EngineLimit("a text that may be no form encoding")
    try:
        return unquote_to_bytes(text.replace(b"+", b" ")).decode()
    except UnicodeDecodeError as error:
        raise EngineLimit(f"the text of a form encoding is not UTF-8: {error}") from error


def encode(data: Array, charset: str) -> tuple[Array, Array | None]:
    """The bytes in a character set, UTF-16 big-endian behind a mark, UTF-32 without one."""
    if charset == "UTF-8":
        return data.view(pa.binary()), None
    check_well_formed(data)
    return _checked(data, lambda value: charsets.encoded(value, charset), pa.binary())


def decode(data: Array, charset: str) -> tuple[Array, Array | None]:
    """The text of bytes; fails for invalid ones. UTF-16 and UTF-32 may begin with a mark."""
    if charset == "UTF-8":
        failed = pc.fill_null(pc.invert(is_well_formed(data)), False)
        text = data.view(pa.string())
        return (logic.null_where(text, failed), failed) if logic.any(failed) else (text, None)
    return _checked(data, lambda value: charsets.decoded(value, charset), pa.string())


def is_well_formed(data: Array) -> Array:
    """Whether the strings are valid UTF-8."""
    try:
        check_well_formed(data.view(pa.string()))
    except EngineLimit:
        return _mapped(data, charsets.is_utf8, pa.bool_())
    return views.array(np.ones(len(data), bool), pa.bool_(), data)


def made_well_formed(data: Array) -> Array:
    """U+FFFD instead of each part of invalid UTF-8 that begins as a character does."""
    try:
        check_well_formed(data)
    except EngineLimit:
        return _mapped(data, lambda value: value.decode(errors="replace"), pa.string())
    return data
