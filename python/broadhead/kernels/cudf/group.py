"""Hash aggregation in memory.

Every kind of aggregate is composed of sums, counts, minima and maxima, which libcudf computes by
hashing, in one pass over the keys for all requests of a call. A kind that libcudf supports only for
sorted groups would sort all of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.copying import OutOfBoundsPolicy
from pylibcudf.groupby import GroupBy, GroupByRequest
from pylibcudf.stream_compaction import DuplicateKeepOption
from pylibcudf.types import NanEquality, NullEquality, NullOrder, NullPolicy, Order

from broadhead.kernels.cudf import aggregates
from broadhead.kernels.cudf.compare import normalize
from broadhead.kernels.cudf.physical import (
    INT32,
    INT64,
    NESTED,
    Column,
    binary,
    cast,
    constant,
    element,
    expand,
)
from broadhead.kernels.cudf.rows import take_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.cudf.aggregates import Aggregate
    from broadhead.kernels.interface.group import Request


class KeyedGrouping:
    """Rows in groups of equal keys."""

    def __init__(self, keys: Sequence[Column], length: int) -> None:
        self._table = plc.Table(list(keys))
        self.length = length
        self._groups: plc.Table | None = None

    @property
    def _group_table(self) -> plc.Table:
        if self._groups is None:
            self._groups = plc.stream_compaction.distinct(
                self._table,
                list(range(self._table.num_columns())),
                DuplicateKeepOption.KEEP_ANY,
                NullEquality.EQUAL,
                NanEquality.ALL_EQUAL,
            )
        return self._groups

    @property
    def size(self) -> int:
        """Number of groups."""
        return int(self._group_table.num_rows())

    @property
    def keys(self) -> list[Column]:
        """The key values of each group."""
        return list(self._group_table.columns())

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        made = [aggregates.plan(request, self) for request in requests]
        wanted = [aggregate for plan in made for aggregate in plan.aggregates]
        results = iter(self._run(wanted))
        return [plan.finish([next(results) for _ in plan.aggregates]) for plan in made]

    def _run(self, wanted: Sequence[Aggregate]) -> list[Column]:
        """The results of plain aggregates, in the order of `wanted` and of the groups."""
        results: dict[int, Column] = {}
        for sorts in (False, True):
            chosen = [i for i, aggregate in enumerate(wanted) if aggregate.sorts == sorts]
            if chosen:
                results.update(zip(chosen, self._call([wanted[i] for i in chosen]), strict=True))
        return [results[i] for i in range(len(wanted))]

    def _call(self, wanted: Sequence[Aggregate]) -> list[Column]:
        positions: dict[int, list[int]] = {}
        for position, aggregate in enumerate(wanted):
            positions.setdefault(id(aggregate.values), []).append(position)
        requests = [
            GroupByRequest(wanted[same[0]].values, [wanted[p].make() for p in same])
            for same in positions.values()
        ]
        groups, tables = GroupBy(self._table, NullPolicy.INCLUDE).aggregate(requests)
        results: dict[int, Column] = {}
        for same, table in zip(positions.values(), tables, strict=True):
            results.update(zip(same, table.columns(), strict=True))
        return self._in_order(groups, [results[p] for p in range(len(wanted))])

    def _in_order(self, groups: plc.Table, columns: list[Column]) -> list[Column]:
        """The columns in the group order of the first result; libcudf may change its order."""
        if self._groups is None:
            self._groups = groups
            return columns
        rows = _matches(self._groups, groups)
        table = plc.copying.gather(plc.Table(columns), rows, OutOfBoundsPolicy.DONT_CHECK)
        return list(table.columns())

    @cached_property
    def _group_of_row(self) -> Column:
        return _matches(self._table, self._group_table)

    def spread(self, values: Column) -> Column:
        """The value of each input row's group."""
        table = plc.copying.gather(
            plc.Table([values]), self._group_of_row, OutOfBoundsPolicy.DONT_CHECK
        )
        return table.columns()[0]

    def members(self) -> tuple[Column, Column]:
        """The rows of each group, and the offset of its first row."""
        ids = self._group_of_row
        order = plc.sorting.stable_sorted_order(
            plc.Table([ids]), [Order.ASCENDING], [NullOrder.AFTER]
        )
        numbers = plc.filling.sequence(self.size + 1, constant(0, INT32), constant(1, INT32))
        (sorted_ids,) = take_rows([ids], order)
        starts = plc.search.lower_bound(
            plc.Table([sorted_ids]), plc.Table([numbers]), [Order.ASCENDING], [NullOrder.AFTER]
        )
        return cast(order, INT64), cast(starts, INT64)


def _matches(rows: plc.Table, groups: plc.Table) -> Column:
    """For each of `rows`, the row id of the equal row of `groups`."""
    left, right = plc.join.left_join(rows, groups, NullEquality.EQUAL)
    found = plc.Table([right])
    return plc.copying.scatter(found, left, found).columns()[0]


class WholeGrouping:
    """All rows as one group."""

    size = 1

    def __init__(self, length: int) -> None:
        self.length = length
        self.keys: list[Column] = []

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        made = [aggregates.plan(request, self) for request in requests]
        return [plan.finish([a.reduced() for a in plan.aggregates]) for plan in made]

    def spread(self, values: Column) -> Column:
        """The single value, for each input row."""
        if values.type().id() not in NESTED:
            return expand(element(values, 0), self.length)
        zeros = expand(constant(0, INT32), self.length)
        gathered = plc.copying.gather(plc.Table([values]), zeros, OutOfBoundsPolicy.DONT_CHECK)
        return gathered.columns()[0]

    def members(self) -> tuple[Column, Column]:
        """All rows, from 0 to their number."""
        ends = plc.filling.sequence(2, constant(0, INT64), constant(self.length, INT64))
        return _row_numbers(self.length), ends


class RowGrouping:
    """One group for each row."""

    def __init__(self, keys: Sequence[Column], length: int) -> None:
        self.keys = list(keys)
        self.size = self.length = length

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        made = [aggregates.plan(request, self) for request in requests]
        return [plan.finish([a.of_rows() for a in plan.aggregates]) for plan in made]

    def spread(self, values: Column) -> Column:
        """The unchanged values: there is one for each row."""
        return values

    def members(self) -> tuple[Column, Column]:
        """The rows in their order."""
        return _row_numbers(self.length), _row_numbers(self.length + 1)


def _row_numbers(length: int) -> Column:
    return plc.filling.sequence(length, constant(0, INT64), constant(1, INT64))


def group(keys: Sequence[Column], length: int) -> KeyedGrouping | WholeGrouping:
    """Groups by equal keys; without keys one group."""
    return KeyedGrouping(keys, length) if keys else WholeGrouping(length)


def each_row(keys: Sequence[Column], length: int) -> RowGrouping:
    """One group for each row, whether or not their keys are equal."""
    return RowGrouping(keys, length)


def hash_partition(keys: Sequence[Column], partitions: int, seed: int) -> Column:
    """A number in [0, partitions) for each row, int32, equal for equal keys."""
    hashes = plc.hashing.xxhash_64(plc.Table([_hashed_form(key) for key in keys]), seed)
    data_type = hashes.type()
    return cast(
        binary(hashes, BinaryOperator.MOD, constant(partitions, data_type), data_type), INT32
    )


def _hashed_form(key: Column) -> Column:
    """The same memory for equal values: wide unscaled data may be int64 in another batch."""
    if key.type().id() == TypeId.DECIMAL128:
        return cast(key, INT64)
    return normalize(key)
