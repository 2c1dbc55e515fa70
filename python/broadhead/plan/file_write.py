"""The node that writes table files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from broadhead.plan.nodes import AggregateCall, Ordinals, PassThrough
from broadhead.plan.roles import role


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWrite(PassThrough):
    """Files in `format` with the child's rows, for Spark's commit protocol. A root only.

    A file has the columns `data_columns` of the rows that are equal in `partition_columns`, by
    which the child's rows are sorted, and at most `max_records` rows if that is positive.
    `options` are the format's own. `statistics` are partial aggregates of all rows; with them,
    there is at most one file.
    """

    format: str
    options: Mapping[str, Any]
    data_columns: Ordinals = field(metadata=role(ordinals=True))
    partition_columns: Ordinals = field(metadata=role(ordinals=True))
    max_records: int
    statistics: tuple[AggregateCall, ...]
