"""Values of a stripe as Spark's reader gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from broadhead.types import DataType

FIRST_GREGORIAN_DAY = -141427
"""1582-10-15: ORC files have earlier days in the Julian calendar, and Spark converts them."""


def as_spark_reads(array: pa.Array, data_type: DataType, path: str) -> pa.Array:
    """The column with timestamps of microseconds.

    Raises `EngineLimit` for a date that Spark converts to another calendar.
    """
    if data_type.name == "timestamp":
        # what is not a whole number of them, or not a timestamp of nanoseconds, raises an error
        return array.cast(pa.timestamp("us"))
    if _earliest_day(array) < FIRST_GREGORIAN_DAY:
        raise EngineLimit(f"{path} has dates of the Julian calendar")
    return array


def _earliest_day(array: pa.Array) -> int:
    """The least date in any part of a column, 0 if it has none."""
    if pa.types.is_date32(array.type):
        return pc.min(array.cast(pa.int32())).as_py() or 0
    if pa.types.is_struct(array.type):
        return min((_earliest_day(part) for part in array.flatten()), default=0)
    if pa.types.is_list(array.type):
        return _earliest_day(array.values)
    if pa.types.is_map(array.type):
        return min(_earliest_day(array.keys), _earliest_day(array.items))
    return 0
