"""Spark's hash, partition numbers by range bounds, and rows sorted by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.copying import OutOfBoundsPolicy
from pylibcudf.types import NullOrder
from pylibcudf.types import Order as Direction

from broadhead.kernels.arrow import hash as on_arrow
from broadhead.kernels.cudf import nested
from broadhead.kernels.cudf.compare import normalize
from broadhead.kernels.cudf.host import from_host, to_host
from broadhead.kernels.cudf.murmur3 import hash_column
from broadhead.kernels.cudf.physical import (
    INT32,
    INT64,
    Column,
    binary,
    cast,
    choose,
    constant,
    expand,
    relabel,
    same_type,
    with_type,
)
from broadhead.types import MAX_LONG_DIGITS, ArrayType, DecimalType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.hash import Order
    from broadhead.types import DataType

_NESTED = (ArrayType, MapType, StructType)
_INTS = frozenset({"date", "integer", "year_month_interval"})


def murmur3(columns: Sequence[Column], types: Sequence[DataType], length: int, seed: int) -> Column:
    """Spark's `hash` of each row, int32 without nulls."""
    hashes = expand(constant(seed, INT32), length)
    for column, data_type in zip(columns, types, strict=True):
        hash_column(hashes, column, data_type)
    return hashes


def xxhash64(
    columns: Sequence[Column], types: Sequence[DataType], length: int, seed: int
) -> Column:
    """Spark's `xxhash64` of each row, int64 without nulls."""
    if len(columns) == 1 and not _is_wide(types[0]) and not isinstance(types[0], _NESTED):
        return _xxhash64_of_one(columns[0], types[0], seed)
    # libcudf has one seed for all rows, and no bytes of a BigInteger
    data = [
        nested.to_arrow(column, data_type) if isinstance(data_type, _NESTED) else to_host(column)
        for column, data_type in zip(columns, types, strict=True)
    ]
    return from_host(on_arrow.xxhash64(data, types, length, seed))


def _is_wide(data_type: DataType) -> bool:
    return isinstance(data_type, DecimalType) and data_type.precision > MAX_LONG_DIGITS


def _xxhash64_of_one(data: Column, data_type: DataType, seed: int) -> Column:
    hashes = plc.hashing.xxhash_64(plc.Table([_hashed_form(data, data_type)]), seed)
    hashed = relabel(hashes, INT64)
    if not data.null_count():
        return hashed
    return choose(plc.unary.is_valid(data), hashed, constant(seed, INT64))


def _hashed_form(data: Column, data_type: DataType) -> Column:
    """A column whose memory Spark hashes."""
    if isinstance(data_type, DecimalType):
        return with_type(data, INT64)
    if data_type.is_floating:
        normal = normalize(data)
        return relabel(normal, INT32 if data_type.name == "float" else INT64)
    if data_type.name in {"boolean", "byte", "short"}:
        return cast(data, INT32)
    if data_type.name in {"string", "binary"}:
        return data
    return relabel(data, INT32 if data_type.name in _INTS else INT64)


def modulo(hashes: Column, partitions: int) -> Column:
    """`pmod(hash, partitions)`, int32."""
    return cast(binary(hashes, BinaryOperator.PMOD, constant(partitions, INT32), INT32), INT32)


def search_sorted(
    bounds: Sequence[Column], keys: Sequence[Column], orders: Sequence[Order]
) -> Column:
    """The number of rows of `bounds` before each row of `keys`, int32."""
    pairs = [same_type(bound, key) for bound, key in zip(bounds, keys, strict=True)]
    return plc.search.lower_bound(
        plc.Table([normalize(bound) for bound, _ in pairs]),
        plc.Table([normalize(key) for _, key in pairs]),
        [Direction.ASCENDING if ascending else Direction.DESCENDING for ascending, _ in orders],
        # libcudf's "before" means: before all values of the ascending order
        [
            NullOrder.BEFORE if ascending == nulls_first else NullOrder.AFTER
            for ascending, nulls_first in orders
        ],
    )


def partition(arrays: Sequence[Column], ids: Column, partitions: int) -> tuple[list[Column], Any]:
    """The rows sorted by partition, and the offset of each partition."""
    if partitions == 1:
        return list(arrays), np.array([0, ids.size()], np.int64)
    keys, ascending, nulls = plc.Table([ids]), [Direction.ASCENDING], [NullOrder.AFTER]
    order = plc.sorting.stable_sorted_order(keys, ascending, nulls)
    gathered = plc.copying.gather(
        plc.Table([ids, *arrays]), order, OutOfBoundsPolicy.DONT_CHECK
    ).columns()
    numbers = plc.filling.sequence(partitions + 1, constant(0, INT32), constant(1, INT32))
    starts = plc.search.lower_bound(
        plc.Table([gathered[0]]), plc.Table([numbers]), ascending, nulls
    )
    return list(gathered[1:]), np.asarray(to_host(starts)).astype(np.int64)
