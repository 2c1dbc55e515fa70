"""The expression of a user's function, or the reason why it has none."""

from __future__ import annotations

import functools
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.tracing import terms
from broadhead.tracing.arrow_functions import trace_arrow
from broadhead.tracing.pandas_functions import trace_pandas
from broadhead.tracing.plain_functions import trace_plain
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.signature import FunctionKind, FunctionSignature

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


@dataclass(frozen=True, slots=True)
class Traced:
    """An expression over `BoundReference(i)` for argument `i` that means what the function does.

    It raises `WouldRaise` for rows whose result only the function itself knows.
    """

    expression: Expression


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason why a function has no expression, for `explain()`."""

    reason: str


def trace(function: Any, signature: FunctionSignature) -> Traced | Refused:
    """The function's expression. No code of the function runs, so this has no effects."""
    try:
        expression = _trace(plain_function(function), signature)
    except Untraceable as refusal:
        return Refused(str(refusal))
    except RecursionError:
        return Refused("its expression is too large")
    if expression is None:
        return Refused("it raises an exception for each row")
    if terms.is_large(expression):
        return Refused("its expression is too large")
    return Traced(expression)


def plain_function(function: Any) -> types.FunctionType:
    """The function, if it is one whose bytecode is known."""
    if isinstance(function, functools.partial):
        raise Untraceable("it is a partial function")
    if type(function) is not types.FunctionType:
        raise Untraceable(f"it is a {type(function).__name__} and no Python function")
    return function


def _trace(function: types.FunctionType, signature: FunctionSignature) -> Expression | None:
    match signature.kind:
        case FunctionKind.PLAIN | FunctionKind.PLAIN_ARROW:
            return trace_plain(function, signature)
        case FunctionKind.SCALAR_PANDAS:
            return trace_pandas(function, signature)
        case FunctionKind.SCALAR_ARROW:
            return trace_arrow(function, signature)
