"""The node that writes table files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from broadhead.plan.expressions import BoundReference
from broadhead.plan.nodes import AggregateCall, Ordinals, PassThrough
from broadhead.plan.roles import role
from broadhead.types import STRING


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWrite(PassThrough):
    """Files in `format` with the child's rows, for Spark's commit protocol. A root only.

    A file has the columns `data_columns` of the rows that are equal in `partition_columns`, by
    which the child's rows are sorted, and at most `max_records` rows if that is positive. It ends
    when it has `target_bytes`, if that is positive. `options` are the format's own.

    The JVM gets the `first_columns` of a file's first row, and how many rows of a file are NaN in
    each of the `nan_columns`. `statistics` are partial aggregates of the rows of each partition.
    """

    format: str
    options: Mapping[str, Any]
    data_columns: Ordinals = field(metadata=role(ordinals=True))
    partition_columns: Ordinals = field(metadata=role(ordinals=True))
    first_columns: Ordinals = field(metadata=role(ordinals=True))
    nan_columns: Ordinals = field(metadata=role(ordinals=True))
    max_records: int
    target_bytes: int
    statistics: tuple[AggregateCall, ...]

    @property
    def text_extremes(self) -> Mapping[int, int]:
        """Statistics that the footer of a Parquet file has, too: the least or greatest text.

        Their places among the `statistics`, each with the place of its column among the
        `data_columns`. None of files of a partition, and none besides columns with fields inside,
        which the footer numbers otherwise.
        """
        one_file = not (self.partition_columns or self.max_records or self.target_bytes)
        nested = any(self.output[ordinal].type.is_nested for ordinal in self.data_columns)
        if self.format != "parquet" or not one_file or nested:
            return {}
        places = {ordinal: place for place, ordinal in enumerate(self.data_columns)}
        found = {}
        for position, call in enumerate(self.statistics):
            match call:
                case AggregateCall(
                    name="Min" | "Max",
                    filter=None,
                    children=(BoundReference(ordinal=ordinal, type=kind),),
                ) if kind == STRING and ordinal in places:
                    found[position] = places[ordinal]
        return found
