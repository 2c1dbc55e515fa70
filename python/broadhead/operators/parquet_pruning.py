"""Row groups that a scan need not read, by the statistics in the footer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import BoundReference, Call, Expression, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow.parquet as pq

    from broadhead.operators.parquet_footer import Footer, RowGroup
    from broadhead.plan.nodes import Attribute

COMPARABLE = frozenset(
    {"byte", "short", "integer", "long", "float", "double", "decimal", "date", "timestamp",
     "timestamp_ntz", "string"}
)  # fmt: skip

FLIPPED = {
    "EqualTo": "EqualTo",
    "LessThan": "GreaterThan",
    "LessThanOrEqual": "GreaterThanOrEqual",
    "GreaterThan": "LessThan",
    "GreaterThanOrEqual": "LessThanOrEqual",
}

POSSIBLE: Mapping[str, Callable[[Any, Any, Any], bool]] = {
    "EqualTo": lambda low, high, value: low <= value <= high,
    "LessThan": lambda low, high, value: low < value,
    "LessThanOrEqual": lambda low, high, value: low <= value,
    "GreaterThan": lambda low, high, value: high > value,
    "GreaterThanOrEqual": lambda low, high, value: high >= value,
}


class RowGroupFilter:
    """Conditions of a scan, as far as a row group's statistics can rule them out."""

    def __init__(
        self, filters: Sequence[Expression], columns: Sequence[Attribute], *, case_sensitive: bool
    ) -> None:
        self._filters = filters
        self._columns = columns
        self._case_sensitive = case_sensitive

    def may_match(self, footer: Footer, group: RowGroup) -> bool:
        """False only where no row of the group can be true for all conditions."""
        return all(self._possible(expression, footer, group) for expression in self._filters)

    def _possible(self, expression: Expression, footer: Footer, group: RowGroup) -> bool:
        match expression:
            case Call("And", children=children):
                return all(self._possible(child, footer, group) for child in children)
            case Call("Or", children=children):
                return any(self._possible(child, footer, group) for child in children)
            case Call("IsNotNull", children=(BoundReference(ordinal),)):
                statistics = self._statistics(ordinal, footer, group)
                return not (
                    statistics is not None
                    and statistics.has_null_count
                    and statistics.null_count == group.rows
                )
            case Call(name, children=(BoundReference(ordinal), Literal(value))) if name in FLIPPED:
                return self._compare(name, ordinal, value, footer, group)
            case Call(name, children=(Literal(value), BoundReference(ordinal))) if name in FLIPPED:
                return self._compare(FLIPPED[name], ordinal, value, footer, group)
            case Call("In", children=(BoundReference(ordinal), *options)):
                values = [o.value for o in options if isinstance(o, Literal)]
                return len(values) < len(options) or self._any_equal(ordinal, values, footer, group)
            case Call("InSet", children=(BoundReference(ordinal),), fields=fields):
                return self._any_equal(ordinal, dict(fields)["hset"], footer, group)
        return True

    def _any_equal(
        self, ordinal: int, values: Sequence[Any], footer: Footer, group: RowGroup
    ) -> bool:
        return any(
            value is not None and self._compare("EqualTo", ordinal, value, footer, group)
            for value in values
        )

    def _compare(
        self, name: str, ordinal: int, value: Any, footer: Footer, group: RowGroup
    ) -> bool:
        if value is None:
            return False
        bounds = self._bounds(ordinal, footer, group)
        if bounds is None or (isinstance(value, float) and math.isnan(value)):
            return True
        low, high = bounds
        if isinstance(value, str):
            value = value.encode()
        if isinstance(low, float):
            # NaN is greater than all and not in the statistics
            return name.startswith("GreaterThan") or POSSIBLE[name](low, high, value)
        return POSSIBLE[name](low, high, value)

    def _bounds(self, ordinal: int, footer: Footer, group: RowGroup) -> tuple[Any, Any] | None:
        """Least and greatest value of a column in its physical form, strings as bytes."""
        statistics = self._statistics(ordinal, footer, group)
        if statistics is None or not statistics.has_min_max:
            return None
        low, high = statistics.min_raw, statistics.max_raw
        name = self._columns[ordinal].type.name
        if name == "string":
            ok = isinstance(low, bytes) and isinstance(high, bytes)
            return (low, high) if ok else None
        if name in {"float", "double"}:
            ok = not (math.isnan(low) or math.isnan(high)) if isinstance(low, float) else False
            return (low, high) if ok else None
        return (low, high) if isinstance(low, int) and not isinstance(low, bool) else None

    def _statistics(self, ordinal: int, footer: Footer, group: RowGroup) -> pq.Statistics | None:
        attribute = self._columns[ordinal]
        if attribute.type.name not in COMPARABLE:
            return None
        (name,) = footer.resolve([attribute.name], case_sensitive=self._case_sensitive)
        if name is None:
            return None
        leaf = footer.leaf(name)
        if leaf is None:
            return None
        column = footer.metadata.schema.column(leaf)
        if attribute.type.name.startswith("timestamp") and "micro" not in str(column.logical_type):
            return None
        return footer.metadata.row_group(group.number).column(leaf).statistics
