"""Old dates and times of files that do not say which calendar they are of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.files.parquet_footer import Footer, RowGroup
    from broadhead.types import DataType

FIRST_DAY = -141_427
"""1582-10-15: from it on the calendars of all versions of Spark have the same days."""
FIRST_SECOND = -2_208_988_800
"""1900-01-01: from it on their time zones are the same."""
UNITS = {"milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}


def check_calendar(
    footer: Footer,
    names: Sequence[str | None],
    types: Sequence[DataType],
    groups: Sequence[RowGroup],
) -> None:
    """Raises `EngineLimit` where a column may have values for which Spark raises an error.

    It raises where neither a file nor a setting says the calendar; the file's writer does.
    """
    if b"org.apache.spark.version" in (footer.metadata.metadata or {}):
        return
    for name, data_type in zip(names, types, strict=False):
        if name is None or not _holds_times(data_type):
            continue
        for leaf in footer.leaves(name):
            if not all(_is_recent(footer, group, leaf) for group in groups):
                raise EngineLimit(
                    f"{footer.path}: column {name} may have values of an older calendar"
                )


def _holds_times(data_type: DataType) -> bool:
    return data_type.is_nested or data_type.name in {"date", "timestamp"}


def _is_recent(footer: Footer, group: RowGroup, leaf: int) -> bool:
    chunk = footer.metadata.row_group(group.number).column(leaf)
    if chunk.physical_type == "INT96":
        return False
    logical = json.loads(footer.metadata.schema.column(leaf).logical_type.to_json())
    if logical["Type"] == "Date":
        first = FIRST_DAY
    elif logical["Type"] == "Timestamp":
        first = FIRST_SECOND * UNITS[logical["timeUnit"]]
    else:
        return True
    statistics = chunk.statistics
    if statistics is None:
        return False
    if not statistics.has_min_max:
        return bool(statistics.null_count == chunk.num_values)
    return bool(statistics.min_raw >= first)
