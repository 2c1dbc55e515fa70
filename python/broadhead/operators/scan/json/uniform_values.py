"""Values of JSON objects of one form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.operators.scan.json.json_values import value
from broadhead.operators.scan.text.numbers import numbers_of
from broadhead.operators.scan.text.plain_numbers import is_plain_type, plain_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.scan.json.uniform_lines import Uniform
    from broadhead.operators.scan.text.line_columns import LineColumn, TimeFormats
    from broadhead.operators.scan.text.numbers import Numbers
    from broadhead.operators.scan.text.spans import Spans
    from broadhead.types import DataType


def uniform_values(
    uniform: Uniform, columns: Sequence[LineColumn], formats: TimeFormats, run: Run
) -> tuple[list[Array], Any | None]:
    """The values of the columns in the lines that fit, and a mask of lines with unparsed values.

    Unparsed lines are those that may be malformed, or have values of other types; the mask is None
    for no such line.
    """
    count = int(np.count_nonzero(uniform.fits))
    literals = {key: _Literals.of(spans) for key, spans in uniform.literals.items()}
    unknown = [literal.unknown for literal in literals.values()]
    values: list[Array] = []
    for column in columns:
        key = column.name.encode()
        if key in literals:
            data, others = literals[key].values(column.type, run)
        elif key in uniform.texts:
            data, others = _of_texts(uniform.texts[key], column.type, formats, run)
        else:
            data, others = _nulls(count, column.type, run), None
        unknown.append(others)
        values.append(data)
    masks = [mask for mask in unknown if mask is not None]
    return values, np.logical_or.reduce(masks) if masks else None


def _nulls(count: int, data_type: DataType, run: Run) -> Array:
    columns = run.kernels.columns
    return columns.full(columns.scalar(None, data_type), count)


def _of_texts(
    spans: Spans, data_type: DataType, formats: TimeFormats, run: Run
) -> tuple[Array, Any | None]:
    if data_type.name == "date":
        days, plain = spans.dates()
        array = pa.array(days.astype(np.int32, copy=False)).view(pa.date32())
        return run.kernels.columns.from_host(array, data_type), ~plain
    if data_type.name in ("string", "timestamp", "timestamp_ntz"):
        return value(spans.strings(), data_type, formats, run)
    count = len(spans.starts)
    return _nulls(count, data_type, run), np.ones(count, bool)


@dataclass(frozen=True, slots=True)
class _Literals:
    """Numbers and the words null, true and false: masks, None for no word, `unknown` of others."""

    numbers: Numbers
    count: int
    nulls: Any | None = None
    true: Any | None = None
    false: Any | None = None
    unknown: Any | None = None

    @classmethod
    def of(cls, spans: Spans) -> _Literals:
        numbers, count = numbers_of(spans), len(spans.starts)
        if numbers.plain is None or numbers.plain.all():
            return cls(numbers, count)
        nulls, true, false = (spans.are(word) for word in (b"null", b"true", b"false"))
        unknown = ~(numbers.plain | nulls | true | false)
        return cls(numbers, count, nulls, true, false, unknown)

    def values(self, data_type: DataType, run: Run) -> tuple[Array, Any | None]:
        """The values as a type, and a mask of those of other types."""
        values: Any | None = None
        unparsed: Any | None = np.ones(self.count, bool)
        if is_plain_type(data_type):
            values, unparsed = plain_numbers(self.numbers, data_type)
        elif data_type.name == "boolean" and self.true is not None:
            values, unparsed = self.true, ~(self.true | self.false)
        if self.nulls is not None and unparsed is not None:
            unparsed = unparsed & ~self.nulls
        if values is None:
            return _nulls(self.count, data_type, run), unparsed
        array = pa.array(values, mask=self.nulls)
        return run.kernels.columns.from_host(array, data_type), unparsed
