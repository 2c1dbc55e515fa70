"""The fields of plain lines as columns of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.operators.scan.csv.csv_options import CsvOptions

_SPACES = "".join(map(chr, range(33)))
_MOST_BYTES = 2**31 - 2


class OtherFields(Exception):
    """A line has more or fewer fields than the table."""


def read_fields(
    text: bytes, positions: Sequence[int], options: CsvOptions, quoted: Any | None
) -> list[pa.Array]:
    """The fields at these positions, with nulls, of all lines of the text.

    `quoted` is a mask of the lines that have quotes, None for no such line. Raises `OtherFields` if
    a line has not as many fields as the table, and `EngineLimit` for more than 2 GiB.
    """
    import pyarrow.csv as pa_csv

    if len(text) > _MOST_BYTES:
        raise EngineLimit("a line has more than 2 GiB")
    names = list(map(str, range(options.fields)))
    wanted = [names[position] for position in positions]
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(text),
            read_options=pa_csv.ReadOptions(
                use_threads=False, column_names=names, block_size=len(text) + 1
            ),
            parse_options=pa_csv.ParseOptions(
                delimiter=options.separator,
                quote_char=False if quoted is None else options.quote,
                double_quote=False,
            ),
            convert_options=pa_csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(wanted, pa.string()),
                include_columns=wanted,
                null_values=["", options.null_value],
                strings_can_be_null=not options.trims,
                quoted_strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        raise OtherFields(str(error)) from error
    columns = [table.column(name).combine_chunks() for name in wanted]
    return [_trimmed(column, options, quoted) for column in columns] if options.trims else columns


def _trimmed(texts: pa.Array, options: CsvOptions, quoted: Any | None) -> pa.Array:
    """Without the spaces around values, which lines with quotes do not have."""
    spaces = _SPACES.replace(options.separator, "")
    if options.trims_start:
        texts = pc.ascii_ltrim(texts, characters=spaces)
    if options.trims_end:
        texts = pc.ascii_rtrim(texts, characters=spaces)
    nulls = pc.is_in(texts, value_set=pa.array(["", options.null_value]))
    return pc.if_else(nulls, pa.scalar(None, pa.string()), texts)
