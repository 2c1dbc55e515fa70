"""The size of the list of all matches, counted without the list."""

from __future__ import annotations

from broadhead.columns import Column
from broadhead.functions.operands import arrays, nulls
from broadhead.functions.registry import Function
from broadhead.kernels.interface import Kernels, Pattern
from broadhead.plan.expressions import Call
from broadhead.types import INTEGER

_COUNT = "CountMatches"
_FIELDS = frozenset({"re2", "line_end", "ascii_only"})


def counted(call: Call) -> Call:
    """The call of `size`; of `regexp_count`, which Spark writes as such a size, the count."""
    if dict(call.fields).get("legacy_size_of_null") is not False:
        return call
    (matches,) = call.children
    if not isinstance(matches, Call) or matches.name != "RegExpExtractAll":
        return call
    fields = tuple(field for field in matches.fields if field[0] in _FIELDS)
    return Call(_COUNT, call.type, call.nullable, matches.children[:1], fields)


def _count(
    k: Kernels, text: Column, *, re2: str | None, line_end: bool, ascii_only: bool
) -> Column:
    """How many matches a regular expression has in a string."""
    (data,) = arrays(k, [text])
    if re2 is None:
        return Column(nulls(k, INTEGER, k.columns.length(data)), INTEGER)
    return Column(k.patterns.count(data, Pattern(re2, line_end, ascii_only)), INTEGER)


COUNTED_MATCHES = {
    _COUNT: Function(
        name="count_matches",
        spark=_COUNT,
        signatures=(),
        evaluate=_count,
        options=_FIELDS,
    )
}
"""The call that is no function of Spark."""
