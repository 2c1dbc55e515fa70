"""Pruning of a scan's row groups by the statistics in the footer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

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

    from broadhead.files.parquet_footer import ColumnStatistics, Footer, RowGroup
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

POSSIBLE: Mapping[str, Callable[[Any, Any, Any], bool]] = {
    EQUAL_TO: lambda low, high, value: low <= value <= high,
    LESS_THAN: lambda low, high, value: low < value,
    LESS_THAN_OR_EQUAL: lambda low, high, value: low <= value,
    GREATER_THAN: lambda low, high, value: high > value,
    GREATER_THAN_OR_EQUAL: lambda low, high, value: high >= value,
}


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

    def may_match(self, group: RowGroup) -> bool:
        """False only if no row of the group can satisfy all conditions."""
        return all(self._possible(expression, group) for expression in self._filters)

    def _possible(self, expression: Expression, group: RowGroup) -> bool:
        match expression:
            case Call(known_functions.AND, children=children):
                return all(self._possible(child, group) for child in children)
            case Call(known_functions.OR, children=children):
                return any(self._possible(child, group) for child in children)
            case Call(known_functions.IS_NOT_NULL, children=(BoundReference(ordinal),)):
                statistics = self._statistics(ordinal, group)
                return statistics is None or statistics.null_count != group.rows
            case Call(name, children=(BoundReference(ordinal), Literal(value))) if name in FLIPPED:
                return self._compare(name, ordinal, value, group)
            case Call(name, children=(Literal(value), BoundReference(ordinal))) if name in FLIPPED:
                return self._compare(FLIPPED[name], ordinal, value, group)
            case Call(known_functions.IN, children=(BoundReference(ordinal), *options)):
                values = [o.value for o in options if isinstance(o, Literal)]
                return len(values) < len(options) or self._any_equal(ordinal, values, group)
            case Call(known_functions.IN_SET, children=(BoundReference(ordinal),), fields=fields):
                return self._any_equal(ordinal, dict(fields)["hset"], group)
        return True

    def _any_equal(self, ordinal: int, values: Sequence[Any], group: RowGroup) -> bool:
        return any(
            value is not None and self._compare(EQUAL_TO, ordinal, value, group) for value in values
        )

    def _compare(self, name: str, ordinal: int, value: Any, group: RowGroup) -> bool:
        if value is None:
            return False
        bounds = self._bounds(ordinal, group)
        if bounds is None or (isinstance(value, float) and math.isnan(value)):
            return True
        low, high = bounds
        if isinstance(value, str):
            value = value.encode()
        if isinstance(low, float):
            # NaN is greater than all values and not in the statistics
            return name in {GREATER_THAN, GREATER_THAN_OR_EQUAL} or POSSIBLE[name](low, high, value)
        return POSSIBLE[name](low, high, value)

    def _bounds(self, ordinal: int, group: RowGroup) -> tuple[Any, Any] | None:
        """Least and greatest value of a column in its physical form, strings as bytes."""
        statistics = self._statistics(ordinal, group)
        if statistics is None or statistics.bounds is None:
            return None
        low, high = statistics.bounds
        name = self._columns[ordinal].type.name
        if name == "string":
            ok = isinstance(low, bytes) and isinstance(high, bytes)
            return (low, high) if ok else None
        if name in {"float", "double"}:
            ok = not (math.isnan(low) or math.isnan(high)) if isinstance(low, float) else False
            return (low, high) if ok else None
        return (low, high) if isinstance(low, int) and not isinstance(low, bool) else None

    def _statistics(self, ordinal: int, group: RowGroup) -> ColumnStatistics | None:
        if ordinal not in self._leaves:
            self._leaves[ordinal] = self._leaf(self._columns[ordinal])
        leaf = self._leaves[ordinal]
        if leaf is None:
            return None
        return self._footer.statistics(leaf)[group.number]

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
