"""row_number, rank, dense_rank, percent_rank, cume_dist and ntile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import literal
from broadhead.functions.registry import ANY, INT
from broadhead.plan import known_functions
from broadhead.registry import Signature
from broadhead.types import DOUBLE, LONG
from broadhead.window_functions.reach import Reach
from broadhead.window_functions.registry import window_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array
    from broadhead.plan.windows import WindowCall
    from broadhead.window_functions.rows import SortedRows

SORTED = ANY | {"array", "struct", "collated_array", "collated_struct"}
DOUBLE_RESULT = frozenset({"double"})
ORDERED = [Signature((SORTED,), INT, variadic=True)]


def _own_row(call: WindowCall) -> Reach:
    return Reach()


def _peers(call: WindowCall) -> Reach:
    return Reach(peers=True)


@window_function(
    "row_number",
    spark=known_functions.ROW_NUMBER,
    signatures=[Signature((), INT)],
    reach=_own_row,
    level="any order",
)
def row_number(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The number of the row in its partition, from 1.

    SELECT row_number() OVER (PARTITION BY a ORDER BY b)
    """
    return rows.integers(rows.shifted(rows.distance(rows.partitions.first, rows.rows), 1))


def _rank(rows: SortedRows) -> Array:
    return rows.shifted(rows.distance(rows.partitions.first, rows.peers.first), 1)


@window_function("rank", spark=known_functions.RANK, signatures=ORDERED, reach=_peers)
def rank(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """One more than the rows before the row and its peers.

    SELECT rank() OVER (PARTITION BY a ORDER BY b)
    """
    return rows.integers(_rank(rows))


@window_function("dense_rank", spark=known_functions.DENSE_RANK, signatures=ORDERED, reach=_peers)
def dense_rank(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The number of the row and its peers among all peers of the partition, from 1.

    SELECT dense_rank() OVER (PARTITION BY a ORDER BY b)
    """
    return rows.integers(rows.shifted(rows.groups_before(), 1))


def _ratio(rows: SortedRows, part: Array, whole: Array) -> Array:
    widen = rows.kernels.cast.widen
    return rows.kernels.arithmetic.divide(widen(part, DOUBLE), widen(whole, DOUBLE))


@window_function(
    "percent_rank",
    spark="PercentRank",
    signatures=[Signature((SORTED,), DOUBLE_RESULT, variadic=True)],
    reach=_peers,
)
def percent_rank(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """(rank - 1) / (rows of the partition - 1); 0 for a single row.

    SELECT percent_rank() OVER (PARTITION BY a ORDER BY b)
    """
    k = rows.kernels
    before = rows.distance(rows.partitions.first, rows.peers.first)
    others = rows.shifted(rows.distance(rows.partitions.first, rows.partitions.end), -1)
    single = k.compare.compare("equal", others, k.columns.scalar(0, LONG))
    share = _ratio(rows, before, others)
    return Column(k.logic.if_else(single, k.columns.scalar(0.0, DOUBLE), share), DOUBLE)


@window_function(
    "cume_dist", spark="CumeDist", signatures=[Signature((), DOUBLE_RESULT)], reach=_peers
)
def cume_dist(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The share of the partition's rows up to the row and its peers.

    SELECT cume_dist() OVER (PARTITION BY a ORDER BY b)
    """
    up_to = rows.distance(rows.partitions.first, rows.peers.end)
    size = rows.distance(rows.partitions.first, rows.partitions.end)
    return Column(_ratio(rows, up_to, size), DOUBLE)


@window_function(
    "ntile",
    spark="NTile",
    signatures=[Signature((INT,), INT, literal=(0,))],
    reach=_own_row,
    level="any order",
)
def ntile(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The number of the row's bucket; the first buckets have a row more where they must.

    SELECT ntile(4) OVER (PARTITION BY a ORDER BY b)
    """
    k = rows.kernels
    buckets = k.columns.scalar(literal(k, inputs[0]), LONG)
    before = rows.distance(rows.partitions.first, rows.rows)
    size = rows.distance(rows.partitions.first, rows.partitions.end)
    small, larger = k.arithmetic.quotient(size, buckets), k.arithmetic.remainder(size, buckets)
    large = rows.shifted(small, 1)
    in_large = k.arithmetic.multiply(larger, large)
    of_large = k.arithmetic.quotient(before, large)
    rest = k.arithmetic.quotient(k.arithmetic.subtract(before, in_large), small)
    of_small = k.arithmetic.add(larger, rest)
    found = k.logic.if_else(k.compare.compare("less", before, in_large), of_large, of_small)
    return rows.integers(rows.shifted(found, 1))
