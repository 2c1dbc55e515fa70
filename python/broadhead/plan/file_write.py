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
    which the child's rows are sorted, and at most `max_records` rows if that is positive. It ends
    when it has `target_bytes`, if that is positive. `options` are the format's own.

    The JVM gets the `first_columns` of a file's first row, and how many rows of a file are NaN in
    each of the `nan_columns`. `statistics` are partial aggregates of the rows of each partition.
    """

    operators = ("WriteFiles",)

    format: str
    options: Mapping[str, Any]
    data_columns: Ordinals = field(metadata=role(ordinals=True))
    partition_columns: Ordinals = field(metadata=role(ordinals=True))
    first_columns: Ordinals = field(metadata=role(ordinals=True))
    nan_columns: Ordinals = field(metadata=role(ordinals=True))
    max_records: int
    target_bytes: int
    statistics: tuple[AggregateCall, ...]
