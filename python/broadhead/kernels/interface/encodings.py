"""Kernels that give texts for bytes or numbers, and read them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked

Algorithm = Literal["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
Charset = Literal["US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32"]


class Encodings(Protocol):
    """Functions of binaries, and of strings as their bytes where nothing else is said.

    One value a row, null for null. They raise `EngineLimit` if the texts of a result exceed 2 GiB.
    """

    def digest(self, data: Array, algorithm: Algorithm) -> Array:
        """The digest of the bytes as hexadecimal digits in lower case, a string; null for null.

        Spark's `md5`, `sha1` and `sha2`.
        """

    def crc32(self, data: Array) -> Array:
        """The CRC-32 of the bytes, int64 from 0 to 2**32 - 1; null for null. Spark's `crc32`."""

    def set_bits(self, data: Array) -> Array:
        """How many bits of the bytes are 1, int64; null for null. Spark's `bitmap_count`."""

    def hex(self, data: Array) -> Array:
        """Hexadecimal digits in upper case, a string; null for null. Spark's `hex`.

        Two digits for each byte; of an int64 its bits without leading zeros, `0` for 0 and 16
        digits for negative numbers.
        """

    def unhex(self, data: Array) -> Checked:
        """The bytes of hexadecimal digits, and a mask of the texts that are none. Spark's `unhex`.

        Of an odd number of digits, the first one is a byte alone. A failed row is null in the
        result; the mask is None if no row failed. Nulls do not fail.
        """

    def binary_digits(self, data: Array) -> Array:
        """The bits of an int64 as `0` and `1` without leading zeros, a string; null for null.

        64 digits for negative numbers. Spark's `bin`.
        """

    def convert_base(self, data: Array, base: int, to: int) -> Array:
        """Numbers as texts in base `base`, written in base `to`; null for null and for ''.

        Spark's `conv`. Bases are from 2 to 36. With a negative `to` the text may have a minus sign,
        otherwise negative numbers are unsigned ones of 64 bits. The number ends before the first
        character that is no digit. Raises `EngineLimit` for numbers from 2**63 on.
        """

    def base64(self, data: Array, *, lines: bool) -> Array:
        """Base64 with padding, a string; null for null. Spark's `base64`.

        With `lines` there are CR and LF after each 76 characters, but for the last line.
        """

    def unbase64(self, data: Array, *, strict: bool) -> Array:
        """The bytes of a Base64 text; null for null. Spark's `unbase64`.

        Other characters are skipped, unless `strict`. Raises `EngineLimit` for texts whose padding
        is not right, and if `strict` for other characters: Spark's answer or error follows.
        """

    def url_encode(self, data: Array) -> Array:
        """Form encoding of a string; null for null.

        Spaces are `+`, bytes of other characters `%` and two digits. Raises `EngineLimit` for
        strings that are not UTF-8. Spark's `url_encode`.
        """

    def url_decode(self, data: Array) -> Array:
        """The text of a form encoding; null for null. Spark's `url_decode`.

        Raises `EngineLimit` for texts that are none, and for bytes that are not UTF-8.
        """

    def encode(self, data: Array, charset: Charset) -> Checked:
        """The bytes of a string in a character set, and a mask of the rows with other characters.

        UTF-16 is big-endian after a mark, UTF-32 has no mark; of UTF-8 the bytes are unchanged,
        valid or not. A failed row is null in the result; the mask is None if no row failed. Spark's
        `encode`.
        """

    def decode(self, data: Array, charset: Charset) -> Checked:
        """The text of bytes in a character set, and a mask of the rows with invalid bytes.

        UTF-16 and UTF-32 may begin with a mark. A failed row is null in the result; the mask is
        None if no row failed. Nulls do not fail. Spark's `decode`.
        """

    def is_well_formed(self, data: Array) -> Array:
        """Whether each string is valid UTF-8; null for null. Spark's `is_valid_utf8`."""

    def made_well_formed(self, data: Array) -> Array:
        """Valid UTF-8, with U+FFFD for what was not; null for null.

        Each invalid part that begins as a character does is one U+FFFD. Spark's `make_valid_utf8`.
        """
