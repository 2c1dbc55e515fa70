"""The fields of plain JSON objects as columns."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.operators.scan.text.lines import Lines

_MOST_BYTES = 2**31 - 2
_PARTS = 4
_FEWEST_LINES = 16
_MOST_READINGS = 4
"""How often the lines of a block are read until the rest is left to Spark's parser."""


def read_objects(
    lines: Lines, fields: Sequence[tuple[str, pa.DataType]]
) -> tuple[list[pa.Array], Any | None]:
    """The fields of the lines that are objects with such fields, and a mask of the other lines.

    All lines of the block start and end with a brace. The mask is None for no other line. Raises
    `EngineLimit` for more than 2 GiB.
    """
    if len(lines.characters) > _MOST_BYTES:
        raise EngineLimit("a line has more than 2 GiB")
    schema = pa.schema(fields)
    bounds = np.append(lines.starts, len(lines.characters)).tolist()
    waiting, left = deque([(0, len(lines))]), _MOST_READINGS * len(lines)
    found: list[tuple[int, pa.Table]] = []
    unread = np.zeros(len(lines), bool)
    while waiting:
        start, end = waiting.popleft()
        left -= end - start
        table = None
        if left >= 0:
            table = _table(lines.text(bounds[start], bounds[end]), schema)
        if table is not None and table.num_rows == end - start:
            found.append((start, table))
        elif left < 0 or end - start <= _FEWEST_LINES:
            unread[start:end] = True
        else:
            edges = np.linspace(start, end, _PARTS + 1).astype(int).tolist()
            waiting.extend(pairwise(edges))
    tables = [table for _, table in sorted(found, key=lambda part: part[0])]
    table = pa.concat_tables(tables) if tables else schema.empty_table()
    columns = [column.combine_chunks() for column in table.columns]
    return columns, unread if unread.any() else None


def _table(text: bytes, schema: pa.Schema) -> pa.Table | None:
    """The objects of the text as rows; None if one is malformed, or has another type."""
    import pyarrow.json as pa_json

    try:
        return pa_json.read_json(
            pa.BufferReader(text),
            read_options=pa_json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            parse_options=pa_json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid:
        return None
