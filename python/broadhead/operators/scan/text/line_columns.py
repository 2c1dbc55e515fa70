"""The columns of a scan of lines, as Spark's parser reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.types import DataType, parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class LineColumn:
    """A column that Spark reads; `position` is that of its field, None for malformed lines."""

    name: str
    type: DataType
    position: int | None


@dataclass(frozen=True, slots=True)
class LineColumns:
    """All columns that Spark reads, of which the engine may need fewer."""

    all: tuple[LineColumn, ...]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> LineColumns:
        """The columns of a plan."""
        return cls(
            tuple(
                LineColumn(column["name"], parse_type(column["type"]), column["position"])
                for column in options["columns"]
            )
        )

    def numbers(self, names: tuple[str, ...]) -> list[int]:
        """The ordinals of the columns with these names."""
        known = {column.name: number for number, column in enumerate(self.all)}
        return [known[name] for name in names]

    @property
    def schema(self) -> pa.Schema:
        """The layout of the rows that Spark's parser returns."""
        return pa.schema([(column.name, arrow_type(column.type)) for column in self.all])


@dataclass(frozen=True, slots=True)
class TimeFormats:
    """How Spark reads the texts of dates and timestamps; None for its default formats."""

    date: str | None
    timestamp: str | None
    timestamp_ntz: str | None
    time_zone: str | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> TimeFormats:
        """The formats of a plan."""
        return cls(
            date=options["dateFormat"],
            timestamp=options["timestampFormat"],
            timestamp_ntz=options["timestampNtzFormat"],
            time_zone=options["timeZone"],
        )
