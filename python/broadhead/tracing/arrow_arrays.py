"""Symbols of Arrow functions: arrays with Arrow's types, in which null is not NaN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import EXACT, Bounds, bounds_of
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method, Symbol
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
)

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.types import DataType

SPARK_TYPES = {
    arrow_type(data_type): data_type
    for data_type in (BOOLEAN, BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, STRING, DATE)
}
METHODS = frozenset({"cast", "fill_null", "is_null", "is_valid", "is_nan"})
OPERATORS = {
    "+": "add_checked",
    "-": "subtract_checked",
    "*": "multiply_checked",
    "/": "divide_checked",
}


@dataclass(frozen=True)
class Array(Symbol):
    """A `pyarrow.Array` of the Arrow type of the expression."""

    expression: Expression

    @property
    def shown(self) -> str:
        """What it is."""
        return f"an array of type {self.expression.type.name}"

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """Arithmetic that raises on overflow, in versions of pyarrow that have it."""
        from broadhead.tracing import arrow_calls

        if operator not in OPERATORS or not hasattr(pa.Array, "__add__"):
            return super().binary(operator, other, reflected=reflected)
        sides = [other, self] if reflected else [self, other]
        return arrow_calls.named(OPERATORS[operator], sides, {})

    def attribute(self, name: str) -> Any:
        """A method."""
        return Method(self, name) if name in METHODS else super().attribute(name)

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The result of the function of the same name."""
        from broadhead.tracing import arrow_calls

        return arrow_calls.named(name, [self, *arguments], dict(keywords))

    def truth(self) -> Expression:
        """Refused: an array has no truth."""
        raise Untraceable(f"it branches on {self.shown}")


def sample(value: Any) -> Any:
    """An empty array of the symbol's type, or a constant as Arrow's scalar."""
    if isinstance(value, Array):
        return pa.array([], arrow_type(value.expression.type))
    if type(value) in (bool, int, float, str):
        return pa.scalar(value)
    raise Untraceable(f"it combines an array and a {type(value).__name__}")


def spark_type(data_type: pa.DataType) -> DataType:
    """Spark's type of an Arrow type that is traced."""
    if data_type not in SPARK_TYPES:
        raise Untraceable(f"its values may be of type {data_type}")
    return SPARK_TYPES[data_type]


def converted(value: Any, data_type: DataType) -> Expression:
    """An operand in the type that a kernel converts it to; Arrow raises for an inexact one."""
    if not isinstance(value, Array):
        return _constant(value, data_type)
    expression = value.expression
    own = expression.type
    if own == data_type:
        return expression
    if own.is_integral and data_type.is_floating:
        return terms.cast(exactly(expression, data_type), data_type)
    widening = (own.is_integral and data_type.is_integral) or own.is_floating
    if not widening or own == DOUBLE:
        raise Untraceable(f"it uses {value.shown} as {data_type.name}")
    return terms.cast(expression, data_type, checked=True)


def exactly(expression: Expression, data_type: DataType) -> Expression:
    """Integers that are exact as floats; Arrow raises for others."""
    end = EXACT if data_type == DOUBLE else 1 << 24
    if bounds_of(expression.type).within(Bounds(-end, end)):
        return expression
    low, high = (Literal(value, expression.type) for value in (-end, end))
    inside = terms.and_(terms.compare("<=", low, expression), terms.compare("<=", expression, high))
    return terms.required(expression, inside)


def _constant(value: Any, data_type: DataType) -> Literal:
    if type(value) is int and data_type.is_integral:
        if Bounds(value, value).within(bounds_of(data_type)):
            return Literal(value, data_type)
    elif type(value) in (int, float) and data_type == DOUBLE:
        return Literal(float(value), data_type)
    elif (type(value), data_type) in ((bool, BOOLEAN), (str, STRING)):
        return Literal(value, data_type)
    raise Untraceable(f"it uses the constant {value!r} as {data_type.name}")


def null_if(condition: Expression, value: Expression) -> Expression:
    """Null where the condition is true, else the value."""
    return terms.if_(condition, terms.null(value.type), value)
