"""Scalar Arrow functions: PySpark passes arrays unchanged, and casts the result safely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import BoundReference
from broadhead.tracing.machine import Machine, SymbolDomain
from broadhead.tracing.obligations import with_obligations
from broadhead.tracing.paths import Decisions
from broadhead.tracing.plain_functions import describe
from broadhead.tracing.refusal import PathRaises, Undecided, Untraceable

if TYPE_CHECKING:
    from types import FunctionType

    from broadhead.plan.expressions import Expression
    from broadhead.tracing.signature import FunctionSignature


class ArrowDomain(SymbolDomain):
    """Calls of `pyarrow.compute`."""

    def call(
        self, machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """The result of a known function."""
        from broadhead.tracing import arrow_calls

        return arrow_calls.call(machine, function, arguments, keywords)


def trace_arrow(function: FunctionType, signature: FunctionSignature) -> Expression:
    """The function's expression."""
    from broadhead.tracing import arrow_calls
    from broadhead.tracing.arrow_arrays import SPARK_TYPES, Array

    values = []
    for number, argument in enumerate(signature.arguments):
        if argument.type not in SPARK_TYPES.values():
            shown = describe(argument.type)
            raise Untraceable(f"argument {number + 1} of type {shown} is not traced")
        values.append(Array(BoundReference(number, argument.type, argument.nullable)))
    if not values:
        raise Untraceable("it has no arguments")
    machine = Machine(ArrowDomain(), Decisions((), {}))
    try:
        result = machine.run_with(function, signature, values)
    except PathRaises:
        raise Untraceable("it raises an exception for each batch") from None
    except Undecided:
        raise Untraceable("it branches on a value") from None
    if not isinstance(result, Array):
        raise Untraceable(f"it returns a {type(result).__name__} and no array")
    expression = arrow_calls.cast(result.expression, signature.returns)
    if expression is None:
        raise Untraceable(f"it returns {result.shown} as {describe(signature.returns)}")
    return with_obligations(expression, machine.computed, ())
