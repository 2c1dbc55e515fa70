"""What a scan of CSV files needs to know of Spark's options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.types import DataType, parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class CsvColumn:
    """A column that Spark reads; `position` is that of its field, None for malformed lines."""

    name: str
    type: DataType
    position: int | None


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """Spark's options of a scan: see docs/wire-format.md, section 1.

    Characters are None where there is no such character. `columns` are all columns that Spark
    reads, of which the engine may need fewer. `is_parsed` says whether Spark's parser sees the
    lines at all, `every_line_is_a_row` says that no value of
    a line decides about its row and its other values.
    """

    any_line_end: bool
    columns: tuple[CsvColumn, ...]
    fields: int
    header: bool
    separator: str
    quote: str | None
    escape: str | None
    comment: str | None
    null_value: str
    empty_value: str
    trims_start: bool
    trims_end: bool
    most_fields: int
    most_characters: int
    is_parsed: bool
    every_line_is_a_row: bool
    date_format: str | None
    timestamp_format: str | None
    timestamp_ntz_format: str | None
    time_zone: str | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> CsvOptions:
        """The options of a plan."""
        return cls(
            any_line_end=options["anyLineEnd"],
            columns=tuple(
                CsvColumn(column["name"], parse_type(column["type"]), column["position"])
                for column in options["columns"]
            ),
            fields=options["fields"],
            header=options["header"],
            separator=options["separator"],
            quote=options["quote"],
            escape=options["escape"],
            comment=options["comment"],
            null_value=options["nullValue"],
            empty_value=options["emptyValue"],
            trims_start=options["trimsStart"],
            trims_end=options["trimsEnd"],
            most_fields=options["mostFields"],
            most_characters=options["mostCharacters"],
            is_parsed=options["isParsed"],
            every_line_is_a_row=options["everyLineIsARow"],
            date_format=options["dateFormat"],
            timestamp_format=options["timestampFormat"],
            timestamp_ntz_format=options["timestampNtzFormat"],
            time_zone=options["timeZone"],
        )

    @property
    def trims(self) -> bool:
        """Whether spaces around values are left out."""
        return self.trims_start or self.trims_end

    @property
    def schema(self) -> pa.Schema:
        """The layout of the rows that Spark's parser returns."""
        return pa.schema([(column.name, arrow_type(column.type)) for column in self.columns])
