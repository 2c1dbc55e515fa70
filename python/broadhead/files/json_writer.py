"""JSON files, an object a line, with the texts of Spark's writer (Jackson), a column at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.files.line_writer import LineParts, joined, replaced

if TYPE_CHECKING:
    from collections.abc import Mapping

_ESCAPES = {
    **{code: f"\\u{code:04X}" for code in range(ord(" "))},
    **str.maketrans(
        {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    ),
}

_NOT_NUMBERS = pa.array(["NaN", "Infinity", "-Infinity"])

_SPECIAL = np.zeros(256, bool)
_SPECIAL[list(_ESCAPES)] = True


class JsonForm:
    """The lines of JSON files.

    `options`: `names` of the columns; their `forms`, which are `plain`, `quoted`, `escaped`
    (quoted, with escapes) and `float` (quoted unless it is a number); `nulls`, whether a null is
    written; `lineSeparator`.
    """

    head = b""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._keys = [f'"{name.translate(_ESCAPES)}":' for name in options["names"]]
        self._forms = options["forms"]
        self._nulls = options["nulls"]
        self._end = "}" + options["lineSeparator"]

    def lines(self, columns: list[pa.Array]) -> LineParts:
        """An object for each row."""
        line = _Line(len(columns[0]))
        for key, form, values in zip(self._keys, self._forms, columns, strict=True):
            quote = '"' if form in ("quoted", "escaped") else ""
            texts = _TEXTS[form](values) if form in _TEXTS else values
            if values.null_count and self._nulls:
                texts = joined([pa.scalar(quote), texts, pa.scalar(quote)]).fill_null("null")
                quote = ""
            line.add(key, quote, texts)
        line.constant(self._end)
        return LineParts(line.parts)


class _Line:
    """The parts of lines, and where a line has a field already."""

    def __init__(self, rows: int) -> None:
        self.parts: list[Any] = [pa.scalar("{")]
        self._begun: pa.Array | None = None
        self._all_begun = False
        self._none = pa.repeat(pa.scalar(False), rows)

    def constant(self, text: str) -> None:
        """Adds the same text to each line."""
        if isinstance(self.parts[-1], pa.Scalar):
            self.parts[-1] = pa.scalar(self.parts[-1].as_py() + text)
        else:
            self.parts.append(pa.scalar(text))

    def add(self, key: str, quote: str, texts: pa.Array) -> None:
        """Adds a field to each line that has a text for it."""
        begun = self._none if self._begun is None else self._begun
        if not texts.null_count and (self._all_begun or self._begun is None):
            self.constant(("," if self._all_begun else "") + key + quote)
            self.parts.append(texts)
            self.constant(quote)
        else:
            comma = pa.scalar(",") if self._all_begun else pc.if_else(begun, ",", "")
            field = [comma, pa.scalar(key + quote), texts, pa.scalar(quote)]
            self.parts.append(joined(field).fill_null(""))
        self._all_begun = self._all_begun or not texts.null_count
        self._begun = pc.or_(begun, texts.is_valid())


def _escaped(values: pa.Array) -> pa.Array:
    data = np.frombuffer(values.buffers()[2] or b"", np.uint8)
    found = np.flatnonzero(_SPECIAL[data])
    if not len(found):
        return values
    offsets = np.frombuffer(values.buffers()[1], np.int32, len(values) + 1)
    rows = np.searchsorted(offsets, found, "right") - 1
    odd = np.zeros(len(values), bool)
    odd[rows[(rows >= 0) & (rows < len(values))]] = True
    mask = pa.array(odd)
    chosen = values.filter(mask).dictionary_encode()
    texts = [
        None if value is None else value.translate(_ESCAPES)
        for value in chosen.dictionary.to_pylist()
    ]
    return replaced(values, mask, pa.array(texts, pa.string()).take(chosen.indices))


def _float(values: pa.Array) -> pa.Array:
    odd = pc.is_in(values, value_set=_NOT_NUMBERS)
    if not pc.any(odd).as_py():
        return values
    return pc.if_else(odd, joined([pa.scalar('"'), values, pa.scalar('"')]), values)


_TEXTS = {"escaped": _escaped, "float": _float}
