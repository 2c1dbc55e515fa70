"""Spark's hash, partition numbers by range bounds, and rows sorted by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.copying import OutOfBoundsPolicy
from pylibcudf.types import NullOrder
from pylibcudf.types import Order as Direction

from broadhead.kernels.cudf.compare import normalize
from broadhead.kernels.cudf.host import to_host
from broadhead.kernels.cudf.murmur3 import hash_column
from broadhead.kernels.cudf.physical import INT32, Column, binary, cast, constant, expand, same_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.hash import Order
    from broadhead.types import DataType


def murmur3(columns: Sequence[Column], types: Sequence[DataType], length: int, seed: int) -> Column:
    """Spark's `hash` of each row, int32 without nulls."""
    hashes = expand(constant(seed, INT32), length)
    for column, data_type in zip(columns, types, strict=True):
        hash_column(hashes, column, data_type)
    return hashes


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
