"""The accessor `.str` of Series of strings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from broadhead.expressions.traced_calls import HOST_TEXT
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import Bounds
from broadhead.tracing.pandas_series import Kind, Series, booleans, texts
from broadhead.tracing.python_text import CASES, LONGEST, PREDICATES, TRIMS, replaced, trimmed
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method, Symbol
from broadhead.tracing.text_parts import Parts, split
from broadhead.tracing.text_slices import character, sliced
from broadhead.types import BOOLEAN, LONG, STRING

OTHERS = frozenset({"cat", "contains", "get", "len", "replace", "slice", "split"})


@cache
def strings_are_objects() -> bool:
    """Whether strings come as Python objects: before pandas 3, they have no dtype of their own."""
    import pyarrow as pa

    return bool(pa.array(["a", None]).to_pandas().dtype == object)


@dataclass(frozen=True)
class TextAccessor(Symbol):
    """`series.str`."""

    series: Series

    @property
    def shown(self) -> str:
        """What it is."""
        return "a Series' str"

    def attribute(self, name: str) -> Any:
        """A method."""
        if name in TRIMS or name in PREDICATES or name in CASES or name in OTHERS:
            return Method(self, name)
        raise Untraceable(f"it uses .str.{name}")

    def item(self, key: Any) -> Any:
        """A slice or a character of each string."""
        text = self.series.expression
        if isinstance(key, slice):
            return texts(sliced(text, key.start, key.stop, key.step))
        result, exists = character(text, key)
        return texts(terms.if_(exists, result, terms.null(STRING)))

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The result of a method."""
        try:
            return METHODS[name](self, *arguments, **keywords)
        except TypeError:
            raise Untraceable(f"it calls .str.{name} with other arguments") from None


def _case(name: str) -> Any:
    def change(accessor: TextAccessor) -> Series:
        method = f"str.{name}" if strings_are_objects() else f"utf8_{name}"
        text = accessor.series.expression
        return texts(terms.call(HOST_TEXT, STRING, text, method=method, arguments=()))

    return change


def _trim(name: str) -> Any:
    def trim(accessor: TextAccessor, to_strip: Any = None) -> Series:
        return texts(trimmed(name, accessor.series.expression, to_strip))

    return trim


def _matches(call: str, accessor: TextAccessor, part: Any, missing: Any) -> Series:
    """Whether a part is in each string: of missing ones, before pandas 3, an object."""
    parts = part if isinstance(part, tuple) else (part,)
    text = accessor.series.expression
    found: Any = terms.FALSE
    for item in parts:
        if not isinstance(item, str):
            raise Untraceable("it searches for a value that is not a constant")
        found = terms.or_(found, terms.call(call, BOOLEAN, text, Literal(item, STRING)))
    if type(missing) is bool:
        return booleans(terms.coalesce(found, Literal(missing, BOOLEAN)))
    if missing is not None or (strings_are_objects() and text.nullable):
        raise Untraceable("it searches strings that may be null without na=False")
    return booleans(found)


def _predicate(name: str) -> Any:
    def matches(accessor: TextAccessor, pat: Any, na: Any = None) -> Series:
        return _matches(PREDICATES[name], accessor, pat, na)

    return matches


def _contains(
    accessor: TextAccessor,
    pat: Any,
    case: Any = True,  # noqa: FBT002 (pandas' own parameters)
    flags: Any = 0,
    na: Any = None,
    regex: Any = True,  # noqa: FBT002
) -> Series:
    if case is not True or flags != 0 or type(pat) is not str:
        raise Untraceable("it calls .str.contains with other arguments")
    if regex is not False and re.escape(pat).replace("\\ ", " ") != pat:
        raise Untraceable("it searches for a regular expression")
    return _matches("Contains", accessor, pat, na)


def _len(accessor: TextAccessor) -> Series:
    text = accessor.series.expression
    size = terms.cast(terms.length(text), LONG)
    return Series(Kind.INT, size, text.nullable, Bounds(0, LONGEST))


def _slice(accessor: TextAccessor, start: Any = None, stop: Any = None, step: Any = None) -> Any:
    return accessor.item(slice(start, stop, step))


def _get(accessor: TextAccessor, i: Any) -> Any:
    return accessor.item(i)


def _replace(
    accessor: TextAccessor,
    pat: Any,
    repl: Any = None,
    n: Any = -1,
    case: Any = None,
    flags: Any = 0,
    regex: Any = False,  # noqa: FBT002
) -> Series:
    if n != -1 or case is not None or flags != 0 or regex is not False:
        raise Untraceable("it calls .str.replace with other arguments")
    return texts(replaced(accessor.series.expression, pat, repl))


def _split(accessor: TextAccessor, pat: Any = None) -> Parts:
    """Without other arguments; pandas takes a longer separator for a regular expression."""
    if type(pat) is str and len(pat) > 1 and re.escape(pat) != pat:
        raise Untraceable("it splits at a regular expression")
    return split(accessor.series.expression, pat, texts)


def _cat(accessor: TextAccessor, others: Any = None, sep: Any = "", na_rep: Any = None) -> Series:
    """Two columns joined; without another one, the strings of the batch would be."""
    other = others if isinstance(others, Series) and not others.is_array else None
    if other is None or other.kind is not Kind.TEXT or na_rep is not None or type(sep) is not str:
        raise Untraceable("it calls .str.cat with other arguments")
    parts = (accessor.series.expression, Literal(sep, STRING), other.expression)
    return texts(terms.call("Concat", STRING, *parts))


METHODS: dict[str, Any] = {
    **{name: _case(name) for name in CASES},
    **{name: _trim(name) for name in TRIMS},
    **{name: _predicate(name) for name in PREDICATES},
    "cat": _cat,
    "contains": _contains,
    "replace": _replace,
    "len": _len,
    "slice": _slice,
    "split": _split,
    "get": _get,
}
