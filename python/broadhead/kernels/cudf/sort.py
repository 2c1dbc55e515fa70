"""Sorting in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pylibcudf as plc
from pylibcudf.types import NullOrder
from pylibcudf.types import Order as Direction

from broadhead.kernels.cudf import columns
from broadhead.kernels.cudf.compare import normalize
from broadhead.kernels.cudf.physical import (
    INT32,
    INT64,
    Column,
    cast,
    constant,
    element,
    expand,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.sort import Order


def order(keys: Sequence[Column], orders: Sequence[Order]) -> Column:
    """The row ids in order; rows with equal keys keep their order."""
    return cast(_order(keys, orders), INT64)


def top(keys: Sequence[Column], orders: Sequence[Order], limit: int) -> Column:
    """The first `limit` ids of `order`, or all if there are fewer."""
    rows = _order(keys, orders)
    (first,) = columns.slice([rows], 0, min(limit, rows.size()))
    return cast(first, INT64)


def merge(
    runs: Sequence[Sequence[Column]], orders: Sequence[Order], unfinished: Sequence[bool]
) -> tuple[Column, list[int]]:
    """The rows of sorted runs that no later row can precede, and their number in each run."""
    rows = _order(columns.concat(runs), orders)
    ranks = _inverse(rows)
    sizes = [run[0].size() for run in runs]
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    lasts = [
        int(value_of(element(ranks, end - 1)))
        for end, more in zip(ends, unfinished, strict=True)
        if more
    ]
    count = min(lasts, default=rows.size() - 1) + 1
    counts = []
    for end, size in zip(ends, sizes, strict=True):
        (of_run,) = columns.slice([ranks], end - size, size)
        counts.append(_count_below(of_run, count))
    (first,) = columns.slice([rows], 0, count)
    return cast(first, INT64), counts


def _order(keys: Sequence[Column], orders: Sequence[Order]) -> Column:
    if len(keys) == 1 and _may_mix_up_nans(keys[0], orders[0]):
        return _order_with_nulls_for_nans(keys[0])
    return plc.sorting.stable_sorted_order(
        plc.Table([normalize(key) for key in keys]),
        [Direction.ASCENDING if ascending else Direction.DESCENDING for ascending, _ in orders],
        # libcudf's "before" means: before all values of the ascending order
        [
            NullOrder.BEFORE if ascending == nulls_first else NullOrder.AFTER
            for ascending, nulls_first in orders
        ],
    )


def _may_mix_up_nans(key: Column, order: Order) -> bool:
    """True if libcudf reverses NaNs of a single key: descending floats without nulls."""
    ascending, _ = order
    return not ascending and key.null_count() == 0 and plc.traits.is_floating_point(key.type())


def _order_with_nulls_for_nans(key: Column) -> Column:
    return plc.sorting.stable_sorted_order(
        plc.Table([plc.transform.column_nans_to_nulls(normalize(key))]),
        [Direction.DESCENDING],
        # after all values of the ascending order, like NaN in Spark
        [NullOrder.AFTER],
    )


def _inverse(rows: Column) -> Column:
    """The rank of each row in the order."""
    ranks = plc.filling.sequence(rows.size(), constant(0, INT32), constant(1, INT32))
    target = plc.Table([expand(constant(0, INT32), rows.size())])
    return plc.copying.scatter(plc.Table([ranks]), rows, target).columns()[0]


def _count_below(ascending: Column, limit: int) -> int:
    """Number of the ascending values that are less than `limit`."""
    found = plc.search.lower_bound(
        plc.Table([ascending]),
        plc.Table([expand(constant(limit, INT32), 1)]),
        [Direction.ASCENDING],
        [NullOrder.BEFORE],
    )
    return int(value_of(element(found, 0)))
