"""Kernels that read the values of separated fields from the bytes of lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.physical import Array
    from broadhead.types import DataType

Clock: TypeAlias = Literal["any", "T", " "]
"""What stands between a date and a time; with "any" fractions of seconds may follow."""


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """How fields stand in lines.

    Attributes
    ----------
    fields
        Number of the fields of a line.
    separator, quote, escape, comment
        ASCII characters by their codes; None for no such character.
    any_line_end
        Whether CR and LF together end a line, too.
    null_word
        The text that is null, as the empty one is.
    empty_is_null
        Whether a quoted empty text is null.
    most_characters
        Lines with more bytes are not plain; -1 for no limit.
    """

    fields: int
    separator: int
    quote: int | None
    escape: int | None
    comment: int | None
    any_line_end: bool
    null_word: bytes
    empty_is_null: bool
    most_characters: int


@dataclass(frozen=True, slots=True)
class WantedField:
    """A field to read: its position in the line, from 0, and its type.

    `clock` says what stands between the date and the time of a timestamp.
    """

    position: int
    type: DataType
    clock: Clock = "any"


@dataclass(frozen=True, slots=True)
class FieldValues:
    """The values of the wanted fields of `rows` lines, one Array for each field.

    Timestamps are local microseconds. `unparsed` is numpy's mask of the lines in which a text is no
    plain value of its type, None for no such line: Spark's parser decides about these lines.
    """

    rows: int
    columns: Sequence[Array]
    unparsed: Any | None


class Fields(Protocol):
    """The values of separated fields, read where the columns are.

    Only for blocks of plain lines, which Spark's parser takes as they are: all lines have the same
    number of fields, quotes stand around whole fields alone and hold no quotes, the text is UTF-8.
    """

    def can_read(self, wanted: Sequence[WantedField]) -> bool:
        """Whether these kernels read fields, and of these types.

        False on the CPU, where scans read them.
        """

    def staging(self, size: int) -> memoryview:
        """Memory of the host for a block of `size` bytes, which is copied to the device fast.

        The next call in this thread uses the same memory. Only where `can_read` is true.
        """

    def read(
        self, block: memoryview, layout: FieldLayout, wanted: Sequence[WantedField]
    ) -> FieldValues | None:
        """The values of a block of whole lines; None if one of the lines is not plain.

        Parameters
        ----------
        block
            Bytes of lines that all end with LF. The caller may change them afterwards.
        layout
            How fields stand in the lines.
        wanted
            The fields to read, in the order of the result. A null is the word of the layout, or an
            empty text.

        Also None if many texts are no plain values, so that Spark's parser reads the block.
        """
