"""Pruning of a scan's row groups by the statistics in the footer."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from broadhead.operators.scan.parquet.stored_types import is_unsigned
from broadhead.plan import known_functions
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.plan.known_functions import (
    EQUAL_TO,
    GREATER_THAN,
    GREATER_THAN_OR_EQUAL,
    LESS_THAN,
    LESS_THAN_OR_EQUAL,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from broadhead.files.leaf_statistics import LeafStatistics
    from broadhead.files.parquet_footer import Footer
    from broadhead.operators.scan.parquet.file_columns import FileColumns
    from broadhead.plan.nodes import Attribute

COMPARABLE = frozenset(
    {"byte", "short", "integer", "long", "float", "double", "decimal", "date", "timestamp",
     "timestamp_ntz", "year_month_interval", "day_time_interval", "string"}
)  # fmt: skip

FLIPPED = {
    EQUAL_TO: EQUAL_TO,
    LESS_THAN: GREATER_THAN,
    LESS_THAN_OR_EQUAL: GREATER_THAN_OR_EQUAL,
    GREATER_THAN: LESS_THAN,
    GREATER_THAN_OR_EQUAL: LESS_THAN_OR_EQUAL,
}

POSSIBLE: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    EQUAL_TO: lambda low, high, value: (low <= value) & (high >= value),
    LESS_THAN: lambda low, high, value: low < value,
    LESS_THAN_OR_EQUAL: lambda low, high, value: low <= value,
    GREATER_THAN: lambda low, high, value: high > value,
    GREATER_THAN_OR_EQUAL: lambda low, high, value: high >= value,
}

KINDS: Mapping[str, type] = {"string": bytes, "float": float, "double": float}
"""The physical form of the bounds of a type; that of all others is `int`."""

Mask: TypeAlias = "np.ndarray[Any, Any]"


class RowGroupFilter:
    """The conditions of a scan on one file that statistics of row groups can refute.

    `resolve` gives the file's own names of columns, None for those that it does not have.
    """

    def __init__(
        self,
        filters: Sequence[Expression],
        columns: Sequence[Attribute],
        footer: Footer,
        file_columns: FileColumns,
    ) -> None:
        self._filters = filters
        self._columns = columns
        self._footer = footer
        self._file_columns = file_columns
        self._leaves: dict[int, int | None] = {}

    def possible(self) -> Mask:
        """For each row group of the file: false only if no row of it can satisfy all conditions."""
        result = self._all
        for expression in self._filters:
            result = result & self._possible(expression)
        return result

    @property
    def _all(self) -> Mask:
        return np.ones(self._footer.metadata.num_row_groups, np.bool_)

    def _possible(self, expression: Expression) -> Mask:
        match expression:
            case Call(known_functions.AND, children=children):
                return reduce(np.logical_and, map(self._possible, children))
            case Call(known_functions.OR, children=children):
                return reduce(np.logical_or, map(self._possible, children))
            case Call(known_functions.IS_NOT_NULL, children=(BoundReference(ordinal),)):
                statistics = self._statistics(ordinal)
                rows = np.array(self._footer.rows, np.int64)
                return self._all if statistics is None else statistics.null_count != rows
            case Call(name, children=(BoundReference(ordinal), Literal(value))) if name in FLIPPED:
                return self._compare(name, ordinal, value)
            case Call(name, children=(Literal(value), BoundReference(ordinal))) if name in FLIPPED:
                return self._compare(FLIPPED[name], ordinal, value)
            case Call(known_functions.IN, children=(BoundReference(ordinal), *options)):
                values = [o.value for o in options if isinstance(o, Literal)]
                return self._all if len(values) < len(options) else self._any_of(ordinal, values)
            case Call(known_functions.IN_SET, children=(BoundReference(ordinal),), fields=fields):
                return self._any_of(ordinal, dict(fields)["hset"])
        return self._all

    def _any_of(self, ordinal: int, values: Sequence[Any]) -> Mask:
        result = ~self._all
        for value in values:
            if value is not None:
                result = result | self._compare(EQUAL_TO, ordinal, value)
        return result

    def _compare(self, name: str, ordinal: int, value: Any) -> Mask:
        if value is None:
            return ~self._all
        statistics = self._statistics(ordinal)
        kind = KINDS.get(self._columns[ordinal].type.name, int)
        if statistics is None or statistics.kind is not kind:
            return self._all
        if isinstance(value, float) and math.isnan(value):
            return self._all
        if kind is float and name in {GREATER_THAN, GREATER_THAN_OR_EQUAL}:
            # NaN is greater than all values and not in the statistics
            return self._all
        if isinstance(value, str):
            # numpy's own form of bytes has no zeros at its end
            value = np.array([value.encode()], np.object_)
        found = POSSIBLE[name](statistics.low, statistics.high, value)
        return ~statistics.known | np.asarray(found, np.bool_)

    def _statistics(self, ordinal: int) -> LeafStatistics | None:
        if ordinal not in self._leaves:
            self._leaves[ordinal] = self._leaf(self._columns[ordinal])
        leaf = self._leaves[ordinal]
        return None if leaf is None else self._footer.statistics(leaf)

    def _leaf(self, attribute: Attribute) -> int | None:
        """The number of the leaf column with the statistics of an attribute, or None."""
        if attribute.type.name not in COMPARABLE:
            return None
        (name,) = self._file_columns.resolve([attribute])
        leaf = self._footer.leaf(name) if name is not None else None
        if leaf is None:
            return None
        column = self._footer.metadata.schema.column(leaf)
        if attribute.type.name.startswith("timestamp") and "micro" not in str(column.logical_type):
            return None
        # the raw bounds are signed, their order is not
        return None if is_unsigned(column) else leaf
