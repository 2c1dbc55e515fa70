"""Kernels that give texts for bytes or numbers, and read them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked

Algorithm = Literal["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
Charset = Literal["US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32"]


class Encodings(Protocol):
    """Functions of binaries, and of strings as their bytes where nothing else is said."""

    def digest(self, data: Array, algorithm: Algorithm) -> Array:
        """The digest as hexadecimal digits, in lower case."""

    def crc32(self, data: Array) -> Array:
        """The CRC-32 of the bytes, int64."""

    def set_bits(self, data: Array) -> Array:
        """How many bits of the bytes are set, int64."""

    def hex(self, data: Array) -> Array:
        """The bytes, or the bits of an int64 without leading zeros, as digits in upper case."""

    def unhex(self, data: Array) -> Checked:
        """The bytes of hexadecimal digits; of an odd number, the first one is a byte alone."""

    def binary_digits(self, data: Array) -> Array:
        """The bits of an int64 without leading zeros."""

    def convert_base(self, data: Array, base: int, to: int) -> Array:
        """A number in another base, from 2 to 36; negative bases have negative numbers.

        The digits end at the first character that is none. Null for ''. Raises `EngineLimit` for
        numbers from 2**63.
        """

    def base64(self, data: Array, *, lines: bool) -> Array:
        """Base64 with padding, in lines of 76 characters between CR LF if `lines`."""

    def unbase64(self, data: Array, *, strict: bool) -> Array:
        """The bytes of Base64, other characters ignored if not `strict`.

        Raises `EngineLimit` for texts whose padding is not right, and if `strict` for others.
        """

    def url_encode(self, data: Array) -> Array:
        """Form encoding: spaces as `+`, UTF-8 bytes as `%` and two digits."""

    def url_decode(self, data: Array) -> Array:
        """The text of a form encoding; raises `EngineLimit` for what is none."""

    def encode(self, data: Array, charset: Charset) -> Checked:
        """The bytes in a character set, UTF-16 big-endian behind a mark, UTF-32 without one.

        Fails for characters outside of the set; the bytes of UTF-8 are unchanged, valid or not.
        """

    def decode(self, data: Array, charset: Charset) -> Checked:
        """The text of bytes; fails for invalid ones. UTF-16 and UTF-32 may begin with a mark."""

    def is_well_formed(self, data: Array) -> Array:
        """Whether the strings are valid UTF-8."""

    def made_well_formed(self, data: Array) -> Array:
        """U+FFFD in the place of each part of invalid UTF-8 that begins as a character does."""
