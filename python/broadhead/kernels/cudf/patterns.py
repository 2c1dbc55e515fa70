"""Regular expressions, computed on the host: libcudf has another dialect than Java and RE2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.kernels.arrow import patterns as on_arrow
from broadhead.kernels.cudf.host import on_host

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column
    from broadhead.kernels.interface import Pattern


def matches(data: Column, pattern: Pattern) -> Column:
    """Whether the pattern is found in the string."""
    return on_host(on_arrow.matches, data, pattern)


def extract(data: Column, pattern: Pattern) -> Column:
    """The text of the group `g` of the first match, '' without a match."""
    return on_host(on_arrow.extract, data, pattern)


def replace(data: Column, pattern: Pattern, template: str) -> Column:
    """All matches replaced."""
    return on_host(on_arrow.replace, data, pattern, template)
