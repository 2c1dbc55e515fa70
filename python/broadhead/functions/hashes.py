"""Hashes of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays
from broadhead.functions.registry import ATOMIC, INT, function
from broadhead.plan import known_functions
from broadhead.registry import Signature
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

# Spark hashes strings with a collation in two ways, and the kernels support neither.
HASHED = ATOMIC | {"void", "array", "map", "struct"}


@function(
    "hash",
    spark=known_functions.HASH,
    signatures=[Signature((HASHED, HASHED), INT, variadic=True)],
    fields={"seed": "any"},
    lag=70,
)
def murmur3_hash(k: Kernels, *operands: Column, seed: int) -> Column:
    """The 32-bit hash by which Spark partitions rows.

    >>> SELECT hash('Spark', 1)
    205329825
    """
    data = arrays(k, operands)
    types = [operand.type for operand in operands]
    return Column(k.hash.murmur3(data, types, k.columns.length(data[0]), seed), INTEGER)


@function(
    "xxhash64",
    spark="XxHash64",
    signatures=[Signature((HASHED, HASHED), frozenset({"long"}), variadic=True)],
    fields={"seed": "any"},
    lag=90,
    on_host=True,
)
def xxhash64(k: Kernels, *operands: Column, seed: int) -> Column:
    """The 64-bit hash xxHash.

    >>> SELECT xxhash64('Spark', 2)
    -3909679912936729532
    """
    data = arrays(k, operands)
    types = [operand.type for operand in operands]
    return Column(k.hash.xxhash64(data, types, k.columns.length(data[0]), seed), LONG)
