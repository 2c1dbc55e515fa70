"""Types of stored columns: those whose values Spark's reader gives as the table's type."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.files.nested_fields import check_names, nested_leaves
from broadhead.types import DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow.parquet as pq

    from broadhead.files.parquet_footer import Footer

READABLE = {
    # Physical Parquet types that Spark's vectorised reader accepts for each type; logical types are
    # checked in `_accepts`
    "boolean": {"BOOLEAN"},
    "byte": {"INT32"},
    "short": {"INT32"},
    "integer": {"INT32"},
    "long": {"INT32", "INT64"},
    "float": {"FLOAT"},
    "double": {"FLOAT", "DOUBLE", "INT32"},
    "string": {"BYTE_ARRAY"},
    "binary": {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"},
    "date": {"INT32"},
    "timestamp": {"INT64", "INT96"},
    "timestamp_ntz": {"INT64"},
    "year_month_interval": {"INT32"},
    "day_time_interval": {"INT64"},
    "decimal": {"INT32", "INT64", "FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY"},
}
NOT_WIDENED = {
    # The same of Spark 3.5, where it has fewer
    "long": {"INT64"},
    "double": {"DOUBLE"},
}
DECIMAL_DIGITS = {"INT32": 9, "INT64": 18}
"""The most digits of the decimals that Spark 3.5 reads from these types."""
INTEGER_LOGICAL = {"NONE", "INT"}
LOGICAL = {
    "boolean": {"NONE"},
    "byte": INTEGER_LOGICAL,
    "short": INTEGER_LOGICAL,
    "integer": INTEGER_LOGICAL,
    "long": INTEGER_LOGICAL,
    "float": {"NONE"},
    "double": INTEGER_LOGICAL,
    "string": {"STRING", "ENUM", "JSON", "NONE"},
    "binary": {"NONE", "BSON", "STRING", "ENUM", "JSON"},
    "date": {"DATE"},
    "timestamp": {"TIMESTAMP", "NONE"},
    "timestamp_ntz": {"TIMESTAMP"},
    "year_month_interval": {"NONE"},
    "day_time_interval": {"NONE"},
}
UNSIGNED = {
    # widths of unsigned integers whose values Spark's reader keeps; it reads the bits of others as
    # a signed number
    "short": {8},
    "integer": {8, 16},
    "long": {8, 16, 32},
    "decimal": {64},
}
UNSIGNED_LONG_DIGITS = 20
CALENDAR_TYPES = {"date", "timestamp", "timestamp_ntz"}


def check_types(
    footer: Footer,
    names: Sequence[str | None],
    types: Sequence[DataType],
    *,
    case_sensitive: bool,
    widens: bool,
) -> None:
    """Raises `EngineLimit` if Spark's reader would reject or convert a column's values.

    `widens`: whether it also reads types that are wider than those of the files, as since Spark 4.
    """
    for name, data_type in zip(names, types, strict=False):
        if name is None:
            continue
        if data_type.name in CALENDAR_TYPES | {"array", "map", "struct"} and footer.legacy_calendar:
            raise EngineLimit(f"{footer.path} has dates of the Julian calendar")
        if data_type.is_nested:
            _check_nested(footer, name, data_type, case_sensitive=case_sensitive, widens=widens)
            continue
        number = footer.leaf(name)
        if number is None or not _holds(footer, number, data_type, widens=widens):
            raise EngineLimit(
                f"{footer.path}: column {name} is not stored as {data_type.name}; Spark reads it"
            )


def _check_nested(
    footer: Footer, name: str, data_type: DataType, *, case_sensitive: bool, widens: bool
) -> None:
    if len(footer.schema.get_all_field_indices(name)) > 1:
        raise EngineLimit(f"{footer.path} has the column {name} more than once")
    first = footer.leaves(name)[0]
    stored = footer.schema.field(name).type
    check_names(stored, data_type, case_sensitive=case_sensitive)
    for number, leaf in nested_leaves(stored, data_type, first):
        if not _accepts(footer.metadata.schema.column(number), leaf, widens=widens):
            raise EngineLimit(
                f"{footer.path}: a field of column {name} is not stored as {leaf.name}; "
                "Spark reads it"
            )


def _holds(footer: Footer, number: int, data_type: DataType, *, widens: bool) -> bool:
    column = footer.metadata.schema.column(number)
    return not column.max_repetition_level and _accepts(column, data_type, widens=widens)


def _accepts(column: pq.ColumnSchema, data_type: DataType, *, widens: bool) -> bool:
    if not widens and _is_widened(column, data_type):
        return False
    if column.physical_type not in READABLE.get(data_type.name, ()):
        return False
    logical = json.loads(column.logical_type.to_json())
    if is_unsigned(column):
        fits = not isinstance(data_type, DecimalType) or (
            data_type.precision == UNSIGNED_LONG_DIGITS and data_type.scale == 0
        )
        return fits and logical["bitWidth"] in UNSIGNED.get(data_type.name, ())
    if isinstance(data_type, DecimalType):
        same_scale = column.scale == data_type.scale and column.precision <= data_type.precision
        return bool(column.logical_type.type == "DECIMAL" and same_scale)
    if logical["Type"].upper() not in LOGICAL[data_type.name]:
        return False
    if logical["Type"] == "Timestamp":
        adjusted = data_type.name == "timestamp"
        return bool(logical["isAdjustedToUTC"] == adjusted and logical["timeUnit"] != "nanoseconds")
    if data_type.name == "timestamp":
        return bool(column.physical_type == "INT96")
    return True


def _is_widened(column: pq.ColumnSchema, data_type: DataType) -> bool:
    physical = column.physical_type
    if is_unsigned(column):
        return False
    if isinstance(data_type, DecimalType):
        return data_type.precision > DECIMAL_DIGITS.get(physical, data_type.precision)
    return physical not in NOT_WIDENED.get(data_type.name, {physical})


def is_unsigned(column: pq.ColumnSchema) -> bool:
    """Whether the column holds unsigned integers."""
    return not json.loads(column.logical_type.to_json()).get("isSigned", True)
