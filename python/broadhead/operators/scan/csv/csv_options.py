"""What a scan of CSV files needs to know of Spark's options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.operators.scan.text.line_columns import LineColumns, TimeFormats

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """Spark's options of a scan: see docs/wire-format.md, section 1.

    Characters are None where there is no such character. `is_parsed` says whether Spark's parser
    sees the lines at all, `every_line_is_a_row` says that no value of a line decides about its row
    and its other values.
    """

    any_line_end: bool
    multi_line: bool
    columns: LineColumns
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
    formats: TimeFormats

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> CsvOptions:
        """The options of a plan."""
        return cls(
            any_line_end=options["anyLineEnd"],
            multi_line=options["multiLine"],
            columns=LineColumns.of(options),
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
            formats=TimeFormats.of(options),
        )

    @property
    def trims(self) -> bool:
        """Whether spaces around values are left out."""
        return self.trims_start or self.trims_end
