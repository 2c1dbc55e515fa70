"""Strings that are split at a separator, of which one part is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.expressions.traced_calls import HOST_TEXT
from broadhead.plan.expressions import Call
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method, Symbol
from broadhead.types import STRING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.plan.expressions import Expression

MOST_PARTS = 1000


@dataclass(frozen=True)
class Parts(Symbol):
    """The list that `text.split(separator)` gives. `part` makes the symbol of a part."""

    text: Expression
    separator: str
    part: Callable[[Expression], Any]

    @property
    def shown(self) -> str:
        """What it is."""
        return "a list of parts"

    def attribute(self, name: str) -> Any:
        """`str` of a Series of lists, whose items are parts too."""
        if name == "str":
            return self
        return Method(self, name) if name == "get" else super().attribute(name)

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The part of an index."""
        if len(arguments) != 1 or keywords:
            raise Untraceable(f"it calls .{name} with other arguments")
        return self.item(arguments[0])

    def item(self, key: Any) -> Any:
        """A part; its expression is null where there is no such part."""
        if type(key) is not int or abs(key) > MOST_PARTS:
            raise Untraceable("it takes parts of a string that are not one of a constant index")
        fields = (("arguments", (self.separator, key)), ("method", "split"))
        return self.part(Call(HOST_TEXT, STRING, True, (self.text,), fields))


def split(text: Expression, separator: Any, part: Callable[[Expression], Any]) -> Parts:
    """The parts of a string between occurrences of a constant."""
    if type(separator) is not str or not separator:
        raise Untraceable("it splits at a separator that is not a constant")
    return Parts(text, separator, part)
