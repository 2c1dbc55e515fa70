"""The fields of plain lines as spans of their block, and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.operators.scan.csv.line_kinds import separators_outside_quotes
from broadhead.operators.scan.text.characters import Characters
from broadhead.operators.scan.text.conversions import convert
from broadhead.operators.scan.text.numbers import numbers_of
from broadhead.operators.scan.text.plain_numbers import is_plain_type, plain_numbers
from broadhead.operators.scan.text.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.scan.csv.csv_options import CsvOptions
    from broadhead.operators.scan.csv.uniform_fields import UniformFields
    from broadhead.operators.scan.text.lines import Lines
    from broadhead.types import DataType

_SPACES = "".join(map(chr, range(33)))
MOST_BYTES = 2**31 - 64


class OtherFields(Exception):
    """A line has more or fewer fields than the table."""


def field_spans(
    lines: Lines, positions: Sequence[int], options: CsvOptions, *, quoted: bool
) -> list[Spans]:
    """The fields at these positions of all lines of the block, without the quotes around them.

    `quoted` says that there are quotes. Raises `OtherFields` if a line has not as many fields as
    the table, and `EngineLimit` for more than 2 GiB.
    """
    if len(lines.block) > MOST_BYTES:
        raise EngineLimit("a line has more than 2 GiB")
    separators = separators_outside_quotes(lines, options)
    quote = ord(options.quote) if quoted and options.quote is not None else None
    count = options.fields - 1
    if len(separators) != len(lines) * count:
        raise OtherFields(f"{len(lines)} lines have {len(separators)} separators")
    table = separators.reshape(len(lines), count)
    if count and not ((table[:, 0] >= lines.starts) & (table[:, -1] < lines.ends)).all():
        raise OtherFields("lines have other numbers of separators")
    characters = Characters(lines.block)
    result = []
    for position in positions:
        start = table[:, position - 1] + 1 if position else lines.starts
        end = table[:, position] if position < count else lines.ends
        if quote is not None:
            is_quoted = (characters.at(start) == quote) & (end > start)
            start, end = start + is_quoted, end - is_quoted
        result.append(Spans(characters, start, end))
    return result


def uniform_spans(lines: Lines, fields: UniformFields, positions: Sequence[int]) -> list[Spans]:
    """The fields at these positions of lines with quotes around the same fields."""
    characters = Characters(lines.block)
    return [Spans(characters, *fields.span(position)) for position in positions]


def field_values(
    spans: Spans, data_type: DataType, options: CsvOptions, run: Run
) -> tuple[Array, Any | None]:
    """The values of a column, and a mask of those that only Spark's parser can convert."""
    if not options.trims:
        found = _plain_values(spans, data_type, options, run)
        if found is not None:
            return found, None
    return convert(_texts(spans, options), data_type, options.formats, run)


def _plain_values(spans: Spans, data_type: DataType, options: CsvOptions, run: Run) -> Array | None:
    """The values, if all are plain numbers or dates, or null."""
    unparsed: Any | None
    if data_type.name == "date":
        days, plain = spans.dates()
        values, unparsed = days.astype(np.int32, copy=False), ~plain
    elif is_plain_type(data_type):
        values, unparsed = plain_numbers(numbers_of(spans), data_type)
    else:
        return None
    nulls = None
    if unparsed is not None and unparsed.any():
        nulls = spans.ends == spans.starts
        if options.null_value:
            nulls |= spans.are(options.null_value.encode())
        if (unparsed & ~nulls).any():
            return None
    elif options.null_value and spans.are(options.null_value.encode()).any():
        return None
    array = pa.array(values, mask=nulls)
    if data_type.name == "date":
        array = array.view(pa.date32())
    return run.kernels.columns.from_host(array, data_type)


def _texts(spans: Spans, options: CsvOptions) -> pa.Array:
    """The texts, null where they are empty or the word for null."""
    texts = spans.strings()
    spaces = _SPACES.replace(options.separator, "")
    if options.trims_start:
        texts = pc.ascii_ltrim(texts, characters=spaces)
    if options.trims_end:
        texts = pc.ascii_rtrim(texts, characters=spaces)
    nulls = pc.is_in(texts, value_set=pa.array(["", options.null_value]))
    if not pc.any(nulls).as_py():
        return texts
    return pc.if_else(nulls, pa.scalar(None, pa.string()), texts)
