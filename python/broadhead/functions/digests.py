"""Digests of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import literal
from broadhead.functions.registry import BINARY, INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import LONG
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.kernels.interface.encodings import Algorithm

OF_BYTES = (Signature((BINARY,), STRING),)
LONG_NAME = frozenset({"long"})
SHA2: dict[int, Algorithm] = {
    0: "sha256",
    224: "sha224",
    256: "sha256",
    384: "sha384",
    512: "sha512",
}


@function("md5", spark="Md5", signatures=OF_BYTES, lag=350, on_host=True)
def md5(k: Kernels, data: Column) -> Column:
    """The MD5 digest in hexadecimal digits.

    >>> SELECT md5('Spark')
    8cde774d6f7333752ed72cacddb05126
    """
    return Column(k.encodings.digest(data.data, "md5"), STRING_TYPE)


@function("sha1", spark="Sha1", signatures=OF_BYTES, lag=400, on_host=True)
def sha1(k: Kernels, data: Column) -> Column:
    """The SHA-1 digest in hexadecimal digits.

    >>> SELECT sha1('Spark')
    85f5955f4b27a9a4c2aab6ffe5d7189fc298b92c
    """
    return Column(k.encodings.digest(data.data, "sha1"), STRING_TYPE)


@function(
    "sha2",
    spark="Sha2",
    signatures=[Signature((BINARY, INT), STRING, literal=(1,), values={1: tuple(SHA2)})],
    lag=400,
    on_host=True,
)
def sha2(k: Kernels, data: Column, bits: Column) -> Column:
    """The digest of the SHA-2 family with so many bits; 0 stands for 256.

    >>> SELECT substr(sha2('Spark', 256), 1, 8)
    529bc3b0
    """
    algorithm = SHA2[literal(k, bits) or 0]
    return Column(k.encodings.digest(data.data, algorithm), STRING_TYPE)


@function(
    "crc32", spark="Crc32", signatures=[Signature((BINARY,), LONG_NAME)], lag=45, on_host=True
)
def crc32(k: Kernels, data: Column) -> Column:
    """The CRC-32 of the bytes.

    >>> SELECT crc32('Spark')
    1557323817
    """
    return Column(k.encodings.crc32(data.data), LONG)


@function(
    "bitmap_count",
    spark="BitmapExpressionUtils.bitmapCount",
    signatures=[Signature((BINARY,), LONG_NAME)],
    lag=30,
    on_host=True,
)
def bitmap_count(k: Kernels, data: Column) -> Column:
    """How many bits of the bytes are set.

    >>> SELECT bitmap_count(X'FFF0')
    12
    """
    return Column(k.encodings.set_bits(data.data), LONG)
