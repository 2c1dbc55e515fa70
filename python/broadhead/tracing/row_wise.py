"""Whether a function gives each row its result from that row alone, whatever the batch is.

More functions do than are traced: the logarithm of a column depends on no other row, but it has no
exact expression. They are interpreted like traced ones, with opaque values for such operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import BoundReference
from broadhead.tracing.machine import Domain, Machine, SymbolDomain
from broadhead.tracing.paths import Decisions
from broadhead.tracing.refusal import PathRaises, Undecided, Untraceable
from broadhead.tracing.row_wise_pandas import OpaquePandas
from broadhead.tracing.signature import FunctionKind, FunctionSignature
from broadhead.tracing.symbol import Method, Symbol
from broadhead.tracing.trace import plain_function

if TYPE_CHECKING:
    from types import FunctionType


@dataclass(frozen=True, slots=True)
class RowWise:
    """A function that may be called with batches of any length.

    `without_nulls`: the arguments whose dtype depends on whether the batch has a null in them. If
    there are any, batches of another length than Spark's must have no null in these columns.
    """

    without_nulls: tuple[int, ...] = ()


def is_row_wise(function: Any, signature: FunctionSignature) -> bool:
    """Whether each result depends on its own row alone, in all batches."""
    return row_wise(function, signature) == RowWise()


def row_wise(function: Any, signature: FunctionSignature) -> RowWise | None:
    """The condition under which each result depends on its own row alone; None if it does not.

    No code of the function runs.
    """
    if signature.kind in (FunctionKind.PLAIN, FunctionKind.PLAIN_ARROW):
        return RowWise()
    try:
        plain = plain_function(function)
        if signature.kind is FunctionKind.SCALAR_ARROW:
            return _arrow(plain, signature)
        return _pandas(plain, signature)
    except (Untraceable, PathRaises, Undecided, RecursionError):
        return None


def _pandas(function: FunctionType, signature: FunctionSignature) -> RowWise | None:
    from broadhead.tracing.pandas_functions import column
    from broadhead.tracing.pandas_series import Kind, Series

    values = []
    sensitive = []
    for number, argument in enumerate(signature.arguments):
        nullable = argument.nullable
        if nullable and (argument.type.is_integral or argument.type.name == "boolean"):
            sensitive.append(number)
            nullable = False
        reference = BoundReference(number, argument.type, nullable)
        values.append(column(number, reference, signature.settings.time_zone))
    result, machine = _run(function, signature, values, OpaquePandas())
    symbols = [*machine.symbols, result]
    if not isinstance(result, Series) or result.is_array:
        return None
    for symbol in symbols:
        # Its dtype depends on other rows of the batch.
        if isinstance(symbol, Series) and symbol.loose and symbol.kind is Kind.INT:
            return None
    return RowWise(tuple(sensitive))


@dataclass(frozen=True)
class Rows(Symbol):
    """An Arrow array of any type; types do not depend on the batch."""

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """Of each row."""
        return self

    def unary(self, operator: str) -> Any:
        """Of each row."""
        return self

    def attribute(self, name: str) -> Any:
        """A method."""
        from broadhead.tracing.arrow_arrays import METHODS

        return Method(self, name) if name in METHODS else super().attribute(name)

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Of each row."""
        return self


class OpaqueArrow(SymbolDomain):
    """Calls of the functions that Arrow registers as scalar ones."""

    def call(
        self, machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """An opaque array."""
        import pyarrow.compute as pc

        name = getattr(function, "__name__", "")
        if getattr(pc, name, None) is not function:
            raise Untraceable(f"it calls {name}")
        registered = {"and_": "and", "or_": "or", "fill_null": "coalesce"}.get(name, name)
        if registered not in pc.list_functions() or pc.get_function(registered).kind != "scalar":
            raise Untraceable(f"it calls {name}")
        return Rows()


def _arrow(function: FunctionType, signature: FunctionSignature) -> RowWise | None:
    values = [Rows() for _ in signature.arguments]
    result, _ = _run(function, signature, values, OpaqueArrow())
    return RowWise() if isinstance(result, Rows) else None


def _run(
    function: FunctionType, signature: FunctionSignature, values: list[Any], domain: Domain
) -> tuple[Any, Machine]:
    if not values:
        raise Untraceable("it has no arguments")
    machine = Machine(domain, Decisions((), {}))
    return machine.run_with(function, signature, values), machine
