"""Regular expressions, by RE2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.pieces import is_ascii
from broadhead.kernels.arrow.text.well_formed import check_well_formed

if TYPE_CHECKING:
    from broadhead.kernels.interface import Pattern

Array = Any

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
