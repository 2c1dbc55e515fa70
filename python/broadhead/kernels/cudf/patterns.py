"""Regular expressions, computed on the host: libcudf has another dialect than Java and RE2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.kernels.arrow import patterns as on_arrow
from broadhead.kernels.cudf import nested
from broadhead.kernels.cudf.host import on_host, to_host

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column
    from broadhead.kernels.interface import Pattern
    from broadhead.types import ArrayType


def matches(data: Column, pattern: Pattern) -> Column:
    """Whether the pattern is found in the string."""
    return on_host(on_arrow.matches, data, pattern)


def extract(data: Column, pattern: Pattern) -> Column:
    """The text of the group `g` of the first match, '' without a match."""
    return on_host(on_arrow.extract, data, pattern)


def extract_all(data: Column, pattern: Pattern, data_type: ArrayType) -> Column:
    """The texts of the group `g`, the only one, of all matches, as a list; '' without one."""
    found = on_arrow.extract_all(to_host(data), pattern, data_type)
    return nested.from_arrow(found, data_type)


def count(data: Column, pattern: Pattern) -> Column:
    """How many matches there are, int32."""
    return on_host(on_arrow.count, data, pattern)


def position(data: Column, pattern: Pattern) -> Column:
    """Where the first match begins, in characters from 1; 0 without a match; int32."""
    return on_host(on_arrow.position, data, pattern)


def replace(data: Column, pattern: Pattern, template: str) -> Column:
    """All matches replaced."""
    return on_host(on_arrow.replace, data, pattern, template)
