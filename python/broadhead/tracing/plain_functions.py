"""Plain Python functions: what Spark makes of a row's values, and of the function's result.

Without Arrow, rows are pickled in both directions. `EvaluatePython.makeFromJava` takes an int for
each integral type and wraps it, a float for float and double, anything for a string; a result of
another type is null. So is an int for a double. With Arrow, `pyarrow.array` converts the results of
a batch: an int becomes a double, what does not fit is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import BoundReference, Literal
from broadhead.tracing import python_calls, terms
from broadhead.tracing.machine import Machine, SymbolDomain
from broadhead.tracing.numbers import EXACT, Bounds, bounds_of
from broadhead.tracing.obligations import with_obligations
from broadhead.tracing.paths import Decisions, either, explore
from broadhead.tracing.python_text import EPOCH, FIRST_DATE, LAST_DATE, PythonDate, PythonText
from broadhead.tracing.python_values import (
    PythonBool,
    PythonFloat,
    PythonInt,
    PythonValue,
    lifted,
)
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.signature import FunctionKind, FunctionSignature
from broadhead.types import DATE, DOUBLE, LONG, STRING

if TYPE_CHECKING:
    from types import FunctionType

    from broadhead.plan.expressions import Expression
    from broadhead.types import DataType

MOST_NULLABLE = 5
EXACT_IN_FLOAT = Bounds(-(1 << 24), 1 << 24)
EXACT_IN_DOUBLE = Bounds(-EXACT, EXACT)


class PlainDomain(SymbolDomain):
    """Calls of builtins and of `math`."""

    def call(
        self, machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """The result of a known function."""
        return python_calls.call(machine, function, arguments, keywords)


def trace_plain(function: FunctionType, signature: FunctionSignature) -> Expression | None:
    """The function's expression; None if it raises for each row."""
    arguments = signature.arguments
    if signature.settings.legacy_pandas and signature.kind is FunctionKind.PLAIN_ARROW:
        raise Untraceable("it is called through pandas, by a legacy setting")
    nullable = [number for number, argument in enumerate(arguments) if argument.nullable]
    if len(nullable) > MOST_NULLABLE:
        raise Untraceable(f"it has more than {MOST_NULLABLE} arguments that may be null")
    values = [
        _argument(BoundReference(number, argument.type, argument.nullable), number)
        for number, argument in enumerate(arguments)
    ]
    return _with_nulls(function, signature, values, nullable)


def _with_nulls(
    function: FunctionType,
    signature: FunctionSignature,
    values: list[Any],
    nullable: list[int],
) -> Expression | None:
    """The expression for the rows in which each of the arguments is None, or is not."""
    if not nullable:
        return explore(lambda decisions: _path(function, signature, values, decisions))
    number, *rest = nullable
    reference = BoundReference(number, signature.arguments[number].type, True)
    with_none = [None if n == number else value for n, value in enumerate(values)]
    of_none = _with_nulls(function, signature, with_none, rest)
    of_others = _with_nulls(function, signature, values, rest)
    gives_null = isinstance(of_none, Literal) and of_none.value is None
    if gives_null and of_others is not None and terms.is_null_with(of_others, number):
        return of_others
    return either(terms.is_null(reference), of_none, of_others)


def _path(
    function: FunctionType, signature: FunctionSignature, values: list[Any], decisions: Decisions
) -> Expression:
    machine = Machine(PlainDomain(), decisions)
    result = _result(machine.run_with(function, signature, values), signature)
    return with_obligations(result, machine.computed, decisions.known)


def _argument(reference: BoundReference, number: int) -> PythonValue:
    """The Python value of a column, in rows where it is not null."""
    data_type = reference.type
    if data_type.is_integral:
        return PythonInt(terms.cast(reference, LONG), bounds_of(data_type))
    match data_type.name:
        case "boolean":
            return PythonBool(reference)
        case "float" | "double":
            return PythonFloat(terms.cast(reference, DOUBLE))
        case "string" if data_type == STRING:
            return PythonText(reference)
        case "date":
            first = Literal(FIRST_DATE.toordinal() - EPOCH, DATE)
            last = Literal(LAST_DATE.toordinal() - EPOCH, DATE)
            exists = terms.and_(
                terms.compare("<=", first, reference), terms.compare("<=", reference, last)
            )
            return PythonDate(terms.required(reference, exists))
    raise Untraceable(f"argument {number + 1} of type {describe(data_type)} is not traced")


def describe(data_type: DataType) -> str:
    """The type in SQL's words."""
    precision, scale = (getattr(data_type, name, None) for name in ("precision", "scale"))
    return data_type.name if precision is None else f"{data_type.name}({precision},{scale})"


def _result(value: Any, signature: FunctionSignature) -> Expression:
    """What Spark reads from the function's result."""
    returns = signature.returns
    if value is None:
        return terms.null(returns)
    value = lifted(value)
    if not isinstance(value, PythonValue):
        raise Untraceable(f"it returns a {type(value).__name__}")
    expression = _converted(value, returns, arrow=signature.kind is FunctionKind.PLAIN_ARROW)
    if expression is None:
        raise Untraceable(f"it returns {value.shown} as {describe(returns)}")
    return expression


def _converted(value: PythonValue, returns: DataType, *, arrow: bool) -> Expression | None:
    match value:
        case PythonBool(expression):
            if returns.name == "boolean" or returns == STRING:
                return terms.cast(expression, returns)
        case PythonInt(expression, bounds):
            return _converted_int(expression, bounds, returns, arrow=arrow)
        case PythonFloat(expression):
            if returns.is_floating:
                return terms.cast(expression, returns)
            return terms.null(returns) if returns.is_integral and not arrow else None
        case PythonText(expression):
            return expression if returns == STRING else None
        case PythonDate(expression):
            return expression if returns == DATE else None
    return None


def _converted_int(
    expression: Expression, bounds: Bounds, returns: DataType, *, arrow: bool
) -> Expression | None:
    if returns.is_integral:
        fits = bounds.within(bounds_of(returns))
        return terms.cast(expression, returns, checked=arrow and not fits)
    if returns == STRING:
        return terms.cast(expression, STRING)
    if not returns.is_floating:
        return None
    if not arrow:
        return terms.null(returns)
    exact = EXACT_IN_DOUBLE if returns == DOUBLE else EXACT_IN_FLOAT
    if not bounds.within(exact):
        low, high = Literal(exact.low, LONG), Literal(exact.high, LONG)
        inside = terms.and_(
            terms.compare("<=", low, expression), terms.compare("<=", expression, high)
        )
        expression = terms.guarded(expression, inside)
    return terms.cast(expression, returns)
