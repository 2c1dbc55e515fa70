"""Regular expressions, by RE2."""

from __future__ import annotations

from dataclasses import replace as with_fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.delimited import listed
from broadhead.kernels.arrow.text.occurrences import occurrences
from broadhead.kernels.arrow.text.substrings import content, is_ascii
from broadhead.kernels.arrow.text.well_formed import check_well_formed

if TYPE_CHECKING:
    from broadhead.kernels.interface import Pattern
    from broadhead.types import ArrayType

Array = Any

_GROUP = "(?P<g>"
_BEYOND = "[\U00010000-\U0010ffff]"
_LINE_ENDS = ("\n", "\r", "\u0085", "\u2028", "\u2029")


def matches(data: Array, pattern: Pattern) -> Array:
    """Whether the pattern is found in the string."""
    _check(data, pattern)
    return views.contiguous(_run(pc.match_substring_regex, data, pattern))


def extract(data: Array, pattern: Pattern) -> Array:
    """The text of the group `g` of the first match, '' without a match."""
    _check(data, pattern)
    found = pc.struct_field(_run(pc.extract_regex, data, pattern), "g")
    return views.contiguous(pc.if_else(pc.is_valid(data), pc.fill_null(found, ""), None))


def extract_all(data: Array, pattern: Pattern, data_type: ArrayType) -> Array:
    """The texts of the group `g`, the only one, of all matches, as a list; '' without one."""
    mark = _absent_byte(data)
    whole = _without_group(pattern)
    if whole is None:
        texts = replace(data, pattern, f"{mark}\\1{mark}")
    else:
        texts = replace(data, whole, f"{mark}\\0{mark}")
    # A match lies between two marks.
    offsets, rows = occurrences(texts, mark.encode())
    counts = np.bincount(rows[::2], minlength=len(data))
    return listed(texts, offsets[::2] + 1, offsets[1::2], counts, data_type)


def count(data: Array, pattern: Pattern) -> Array:
    """How many matches there are, int32."""
    mark = _absent_byte(data)
    return pc.count_substring(replace(data, _without_group(pattern) or pattern, mark), mark)


def _without_group(pattern: Pattern) -> Pattern | None:
    """The pattern where its group is all of it: RE2 is faster without one. None elsewhere."""
    inner = pattern.re2.removeprefix(_GROUP).removesuffix(")")
    is_all = pattern.re2 == f"{_GROUP}{inner})" and not set(inner) & set("()")
    return with_fields(pattern, re2=inner) if is_all else None


def _absent_byte(data: Array) -> str:
    """A control character that is in none of the strings."""
    bounds = views.offsets(data)
    here = content(data)[bounds[0] : bounds[-1]]
    for byte in range(1, 9):
        if not (here == byte).any():
            return chr(byte)
    raise EngineLimit("strings have all the characters that mark matches")


def position(data: Array, pattern: Pattern) -> Array:
    """Where the first match begins, in characters from 1; 0 without a match; int32."""
    _check(data, pattern)
    behind = with_fields(pattern, re2=rf"\A(?P<g>(?s:.*?))(?:{pattern.re2})")
    before = pc.struct_field(_run(pc.extract_regex, data, behind), "g")
    if not is_ascii(before) and logic.any(pc.match_substring_regex(before, _BEYOND)):
        raise EngineLimit("Spark's versions count characters beyond U+FFFF differently")
    positions = pc.fill_null(pc.add(pc.utf8_length(before), pa.scalar(1, pa.int32())), 0)
    return views.contiguous(pc.if_else(pc.is_valid(data), positions, None))


def replace(data: Array, pattern: Pattern, template: str) -> Array:
    """All matches replaced."""
    _check(data, pattern)
    return views.contiguous(_run(pc.replace_substring_regex, data, pattern, replacement=template))


def _run(kernel: Any, data: Array, pattern: Pattern, **options: str) -> Array:
    try:
        return kernel(data, pattern=pattern.re2, **options)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"RE2 cannot use a pattern: {error}") from error


def _check(data: Array, pattern: Pattern) -> None:
    """Raises `EngineLimit` for strings that RE2 may read differently than Java."""
    check_well_formed(data)
    if pattern.ascii_only and not is_ascii(data):
        raise EngineLimit("\\b in strings with other characters than ASCII")
    if pattern.line_end and any(logic.any(pc.ends_with(data, end)) for end in _LINE_ENDS):
        raise EngineLimit("$ in strings that end with a line end")
