"""Texts made of numbers and of ASCII texts between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views

Array = Any
Layout = Sequence[str | tuple[int, int]]
"""Texts, whose letters stand in any case, and the least and most digits of numbers."""

_ZERO, _LOWER = np.uint8(ord("0")), np.uint8(0x20)
_ROWS_PER_TEXT = 2
"""So many rows for each distinct text make it worth to find these."""


def numbers(data: Array, layout: Layout) -> list[Array]:
    """The numbers in texts of one layout, int64; null where a text has another one."""
    widths = [len(part) if isinstance(part, str) else part[0] for part in layout]
    if all(isinstance(part, str) or part[0] == part[1] for part in layout):
        return _of_fixed_width(data, layout, sum(widths))
    encoded = data.dictionary_encode()
    if len(encoded.dictionary) * _ROWS_PER_TEXT > len(data):
        return _extracted(data, layout)
    return [part.take(encoded.indices) for part in _extracted(encoded.dictionary, layout)]


def _of_fixed_width(data: Array, layout: Layout, width: int) -> list[Array]:
    """The same where every text of the layout has so many bytes."""
    bounds = views.offsets(data)
    fits = np.diff(bounds) == width
    buffer = data.buffers()[2]
    everywhere = bool(fits.all())
    if everywhere and len(data):
        characters = np.frombuffer(buffer, np.uint8, len(data) * width, int(bounds[0]))
        cells = characters.reshape(len(data), width)
    else:
        starts = bounds[:-1][fits].astype(np.int64)
        characters = np.frombuffer(buffer, np.uint8) if len(starts) else np.zeros(0, np.uint8)
        cells = characters[starts[:, None] + np.arange(width)]
    good = np.ones(len(cells), bool)
    found, position = [], 0
    for part in layout:
        if isinstance(part, str):
            good &= _is_text(cells, position, part)
            position += len(part)
            continue
        number = np.zeros(len(cells), np.int64)
        for _ in range(part[0]):
            digit = cells[:, position] - _ZERO
            good &= digit < 10
            number = number * 10 + digit
            position += 1
        found.append(number)
    return _spread(found, good, None if everywhere else fits, data)


def _is_text(cells: Any, position: int, text: str) -> Any:
    """Whether rows of characters have a text at a position, in any case."""
    same = np.ones(len(cells), bool)
    for offset, character in enumerate(text.lower().encode()):
        letters = cells[:, position + offset]
        same &= (letters | _LOWER if chr(character).isalpha() else letters) == character
    return same


def _spread(found: list[Any], good: Any, fits: Any | None, data: Array) -> list[Array]:
    """Columns of the numbers of the rows that fit, null elsewhere and where they are not good."""
    if fits is not None:
        known = np.zeros(len(data), bool)
        known[fits] = good
        rows = []
        for number in found:
            every = np.zeros(len(data), np.int64)
            every[fits] = number
            rows.append(every)
        found, good = rows, known
    arrays = [views.array(number, pa.int64(), data) for number in found]
    if good.all():
        return arrays
    wrong = views.array(~good, pa.bool_())
    return [logic.null_where(array, wrong) for array in arrays]


def _extracted(data: Array, layout: Layout) -> list[Array]:
    pattern, names = expression(layout, named=True)
    found = pc.extract_regex(data, rf"\A{pattern}\z")
    parts = [views.contiguous(pc.struct_field(found, name)) for name in names]
    return [part.cast(pa.int64()) for part in parts]


def expression(layout: Layout, *, named: bool) -> tuple[str, list[str]]:
    """The layout as a regular expression with a group for each number, and the groups' names."""
    written = ""
    names: list[str] = []
    for part in layout:
        if isinstance(part, str):
            written += "".join(map(_in_any_case, part))
        else:
            names.append(f"number{len(names)}")
            group = f"(?P<{names[-1]}>" if named else "("
            written += f"{group}[0-9]{{{part[0]},{part[1]}}})"
    return written, names


def _in_any_case(character: str) -> str:
    if character.isalpha():
        return f"[{character.upper()}{character.lower()}]"
    return re.escape(character)
