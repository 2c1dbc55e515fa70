"""Scalar pandas functions: the Series of their arguments, and what Spark reads from their result.

PySpark converts arguments by `ArrowStreamPandasSerializer.arrow_to_pandas` and results by
`_create_array`: missing values become null, others are cast to the declared type, safely or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.expressions.traced_calls import ROUND_TO_EVEN
from broadhead.plan.expressions import BoundReference, Literal
from broadhead.tracing import terms
from broadhead.tracing.machine import Machine, SymbolDomain
from broadhead.tracing.numbers import bounds_of
from broadhead.tracing.obligations import with_obligations
from broadhead.tracing.paths import Decisions
from broadhead.tracing.plain_functions import EXACT_IN_DOUBLE, EXACT_IN_FLOAT, describe
from broadhead.tracing.refusal import PathRaises, Undecided, Untraceable
from broadhead.types import BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, TIMESTAMP_NTZ

if TYPE_CHECKING:
    from types import FunctionType

    from broadhead.plan.expressions import Expression
    from broadhead.tracing.pandas_series import Series
    from broadhead.tracing.signature import FunctionSignature
    from broadhead.types import DataType


class PandasDomain(SymbolDomain):
    """Calls of numpy's and pandas' functions."""

    def call(
        self, machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """The result of a known function."""
        from broadhead.tracing import numpy_calls

        return numpy_calls.call(machine, function, arguments, keywords)


def trace_pandas(function: FunctionType, signature: FunctionSignature) -> Expression:
    """The function's expression."""
    values = [
        column(
            number,
            BoundReference(number, argument.type, argument.nullable),
            signature.settings.time_zone,
        )
        for number, argument in enumerate(signature.arguments)
    ]
    if not values:
        raise Untraceable("it has no arguments")
    machine = Machine(PandasDomain(), Decisions((), {}))
    try:
        result = machine.run_with(function, signature, values)
    except PathRaises:
        raise Untraceable("it raises an exception for each batch") from None
    except Undecided:
        raise Untraceable("it branches on a value") from None
    return with_obligations(_result(result, signature), machine.computed, ())


def column(number: int, reference: BoundReference, time_zone: str) -> Series:
    """The Series of a column."""
    from broadhead.tracing.pandas_series import Kind, Series

    data_type = reference.type
    if data_type.is_integral:
        return Series(Kind.INT, reference, reference.nullable, bounds_of(data_type))
    kinds = {"boolean": Kind.BOOL, "float": Kind.FLOAT, "double": Kind.FLOAT, "date": Kind.DATE}
    if data_type.name in kinds:
        kind = kinds[data_type.name]
        return Series(kind, reference, kind is Kind.BOOL and reference.nullable)
    if data_type == STRING:
        return Series(Kind.TEXT, reference)
    if data_type == TIMESTAMP_NTZ:
        from broadhead.tracing.pandas_times import in_years_of_pandas

        inside = in_years_of_pandas(terms.cast(reference, DATE))
        return Series(Kind.TIME, terms.required(reference, inside))
    if data_type == TIMESTAMP:
        from broadhead.tracing.pandas_times import local_time

        return Series(Kind.TIME, local_time(reference, time_zone))
    raise Untraceable(f"argument {number + 1} of type {describe(data_type)} is not traced")


def _result(value: Any, signature: FunctionSignature) -> Expression:
    """What Spark reads from the result."""
    from broadhead.tracing.pandas_series import Kind, Series

    if not isinstance(value, Series) or value.is_array:
        shown = value.shown if isinstance(value, Series) else f"a {type(value).__name__}"
        raise Untraceable(f"it returns {shown} and no Series")
    returns, safe = signature.returns, signature.settings.safe
    own = {Kind.TEXT: STRING, Kind.DATE: DATE, Kind.BOOL: BOOLEAN, Kind.TIME: TIMESTAMP_NTZ}
    if value.kind is Kind.INT and returns.is_integral:
        return _integers(value, returns, safe=safe)
    if value.kind is Kind.INT and returns.is_floating:
        return _integers_as_floats(value, returns, safe=safe)
    if value.kind is Kind.FLOAT and returns.is_floating:
        missing = terms.is_nan(value.expression)
        expression = terms.cast(value.expression, returns)
        return terms.if_(missing, terms.null(returns), expression)
    if value.kind is Kind.FLOAT and returns.is_integral:
        return _floats_as_integers(value, returns, safe=safe)
    if own.get(value.kind) == returns:
        return value.expression
    raise Untraceable(f"it returns {value.shown} as {describe(returns)}")


def _integers(value: Series, returns: DataType, *, safe: bool) -> Expression:
    value = value.settled()
    fits = value.limits.within(bounds_of(returns))
    return terms.cast(value.expression, returns, checked=(safe or value.loose) and not fits)


def _integers_as_floats(value: Series, returns: DataType, *, safe: bool) -> Expression:
    value = value.settled()
    exact = EXACT_IN_DOUBLE if returns == DOUBLE else EXACT_IN_FLOAT
    expression = terms.guarded(value.expression, terms.not_(value.negative_zero))
    if safe and not value.limits.within(exact):
        low, high = (Literal(end, expression.type) for end in (exact.low, exact.high))
        inside = terms.and_(
            terms.compare("<=", low, expression), terms.compare("<=", expression, high)
        )
        expression = terms.guarded(expression, inside)
    return terms.cast(expression, returns)


def _floats_as_integers(value: Series, returns: DataType, *, safe: bool) -> Expression:
    number = terms.cast(value.expression, DOUBLE)
    number = terms.if_(terms.is_nan(number), terms.null(DOUBLE), number)
    bounds = bounds_of(returns)
    inside = terms.and_(
        terms.compare("<=", Literal(float(bounds.low), DOUBLE), number),
        terms.compare("<", number, Literal(float(bounds.high + 1), DOUBLE)),
    )
    if safe:
        whole = terms.compare("==", terms.call(ROUND_TO_EVEN, DOUBLE, number), number)
        inside = terms.and_(inside, whole)
    return terms.cast(terms.guarded(number, inside), returns, checked=True)
