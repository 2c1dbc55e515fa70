"""Values that depend on the rows: the operations that the interpreter asks them for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.tracing.refusal import Untraceable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.plan.expressions import Expression


class Symbol:
    """A value that depends on the row. Operations that a subclass does not have are refused."""

    @property
    def shown(self) -> str:
        """The name of the value in reasons."""
        return "a value"

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """`self operator other`, or `other operator self` if reflected."""
        raise Untraceable(f"it uses {operator} on {self.shown}")

    def compare(self, operator: str, other: Any) -> Any:
        """`self operator other`."""
        raise Untraceable(f"it uses {operator} on {self.shown}")

    def unary(self, operator: str) -> Any:
        """`-self`, `+self` or `~self`."""
        raise Untraceable(f"it uses {operator} on {self.shown}")

    def attribute(self, name: str) -> Any:
        """`self.name`."""
        raise Untraceable(f"it uses .{name} of {self.shown}")

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """`self.name(...)`, of a name for which `attribute` gave a `Method`."""
        raise Untraceable(f"it calls .{name} of {self.shown}")

    def item(self, key: Any) -> Any:
        """`self[key]`."""
        raise Untraceable(f"it uses [] on {self.shown}")

    def contains(self, member: Any) -> Any:
        """`member in self`."""
        raise Untraceable(f"it uses in on {self.shown}")

    def formatted(self) -> Any:
        """The value inside an f-string, without a format."""
        raise Untraceable(f"it formats {self.shown}")

    def truth(self) -> Expression:
        """Whether the value is true, as in `if self`; a boolean expression that is never null."""
        raise Untraceable(f"it branches on {self.shown}")


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a symbol, before it is called."""

    owner: Symbol
    name: str


def is_symbolic(value: Any) -> bool:
    """Whether the value is a symbol, or a container with one."""
    if isinstance(value, Symbol | Method):
        return True
    if isinstance(value, tuple | list):
        return any(is_symbolic(item) for item in value)
    if isinstance(value, dict):
        return any(is_symbolic(item) for item in value.values())
    return isinstance(value, slice) and any(
        isinstance(end, Symbol) for end in (value.start, value.stop, value.step)
    )
