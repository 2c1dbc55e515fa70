"""Symbols of plain Python functions: the numbers of a row, none of which is None."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.expressions.traced_calls import (
    FLOOR_QUOTIENT,
    FLOOR_REMAINDER,
    IEEE_DIVIDE,
)
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import (
    NAMES,
    Bounds,
    arithmetic_bounds,
    as_exact_double,
    bounds_of,
    exact_arithmetic,
    floor_division,
)
from broadhead.tracing.refusal import PathRaises, Untraceable
from broadhead.tracing.symbol import Symbol
from broadhead.types import BOOLEAN, DOUBLE, LONG, STRING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

ORDER = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True)
class PythonValue(Symbol):
    """A value of one of Python's types. `expression` is of its widest Spark type."""

    expression: Expression


@dataclass(frozen=True)
class PythonBool(PythonValue):
    """A bool."""

    @property
    def shown(self) -> str:
        """The type."""
        return "a bool"

    def truth(self) -> Expression:
        """The value itself."""
        return self.expression

    def as_int(self) -> PythonInt:
        """0 or 1."""
        return PythonInt(terms.cast(self.expression, LONG), Bounds(0, 1))

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """Logic with another bool, else arithmetic with 0 and 1."""
        right = lifted(other)
        if isinstance(right, PythonBool) and operator in {"&", "|", "^"}:
            return PythonBool(_logic(operator, self.expression, right.expression))
        return self.as_int().binary(operator, other, reflected=reflected)

    def compare(self, operator: str, other: Any) -> Any:
        """As 0 or 1."""
        return self.as_int().compare(operator, other)

    def unary(self, operator: str) -> Any:
        """Of 0 or 1."""
        return self.as_int().unary(operator)

    def formatted(self) -> Any:
        """`True` or `False`."""
        true, false = Literal("True", STRING), Literal("False", STRING)
        return text(terms.if_(self.expression, true, false))


def _logic(operator: str, left: Expression, right: Expression) -> Expression:
    if operator == "&":
        return terms.and_(left, right)
    if operator == "|":
        return terms.or_(left, right)
    return terms.not_(terms.call("EqualTo", BOOLEAN, left, right))


@dataclass(frozen=True)
class PythonInt(PythonValue):
    """An int that fits in 64 bits; a longer one is left to Python."""

    bounds: Bounds

    @property
    def shown(self) -> str:
        """The type."""
        return "an int"

    def truth(self) -> Expression:
        """Whether it is not zero."""
        return terms.not_(terms.compare("==", self.expression, Literal(0, LONG)))

    def as_double(self) -> Expression:
        """The nearest double, as `float(x)`."""
        return terms.cast(self.expression, DOUBLE)

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """Arithmetic with another number."""
        right = number(other)
        if isinstance(right, PythonFloat):
            return PythonFloat(self.as_double()).binary(operator, other, reflected=reflected)
        if not isinstance(right, PythonInt):
            raise PathRaises
        left = self
        if operator == "**" and not reflected:
            return _power(self, other)
        if reflected:
            left, right = right, left
        if operator in NAMES:
            bounds = arithmetic_bounds(operator, left.bounds, right.bounds)
            return PythonInt(*exact_arithmetic(operator, left.expression, right.expression, bounds))
        if operator in {"//", "%"}:
            return PythonInt(
                *floor_division(
                    operator,
                    (left.expression, left.bounds),
                    (right.expression, right.bounds),
                    zero_raises=True,
                )
            )
        if operator == "/":
            return PythonFloat(
                _divide(
                    as_exact_double(left.expression, left.bounds),
                    as_exact_double(right.expression, right.bounds),
                )
            )
        names = {"&": "BitwiseAnd", "|": "BitwiseOr", "^": "BitwiseXor"}
        if operator in names:
            result = terms.call(names[operator], LONG, left.expression, right.expression)
            return PythonInt(result, bounds_of(LONG))
        return super().binary(operator, other, reflected=reflected)

    def compare(self, operator: str, other: Any) -> Any:
        """With another number, exactly."""
        right = number(other)
        if isinstance(right, PythonFloat):
            double = as_exact_double(self.expression, self.bounds)
            return PythonFloat(double).compare(operator, other)
        if not isinstance(right, PythonInt):
            return different_types(operator)
        return PythonBool(terms.compare(operator, self.expression, right.expression))

    def unary(self, operator: str) -> Any:
        """The negated, same or inverted number."""
        if operator == "+":
            return self
        if operator == "-":
            return int_constant(0).binary("-", self, reflected=False)
        return int_constant(-1).binary("-", self, reflected=False)

    def magnitude(self) -> PythonInt:
        """`abs(x)`."""
        low, high = self.bounds.low, self.bounds.high
        result = terms.magnitude(self.expression, checked=low < -high)
        size = max(abs(low), abs(high))
        return PythonInt(result, Bounds(0, size).clipped(bounds_of(LONG)))

    def formatted(self) -> Any:
        """Decimal digits."""
        return text(terms.cast(self.expression, STRING))


def _power(base: PythonInt, exponent: Any) -> PythonInt:
    if type(exponent) is not int or not 0 <= exponent <= 4:
        raise Untraceable("it uses ** with an exponent that is not a small constant")
    result = int_constant(1)
    for _ in range(exponent):
        result = base if result == int_constant(1) else result.binary("*", base, reflected=False)
    return result


@dataclass(frozen=True)
class PythonFloat(PythonValue):
    """A float."""

    @property
    def shown(self) -> str:
        """The type."""
        return "a float"

    def truth(self) -> Expression:
        """Whether it is not zero; NaN is true."""
        return terms.not_(terms.compare("==", self.expression, Literal(0.0, DOUBLE)))

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """IEEE arithmetic with another number."""
        right = number(other)
        if isinstance(right, PythonInt):
            right = PythonFloat(right.as_double())
        if not isinstance(right, PythonFloat):
            raise PathRaises
        left, right = (right, self) if reflected else (self, right)
        if operator in NAMES:
            result = terms.arithmetic(NAMES[operator], left.expression, right.expression)
            return PythonFloat(result)
        if operator == "/":
            return PythonFloat(_divide(left.expression, right.expression))
        calls = {"//": FLOOR_QUOTIENT, "%": FLOOR_REMAINDER}
        if operator in calls:
            divisor = _not_zero(right.expression)
            return PythonFloat(terms.call(calls[operator], DOUBLE, left.expression, divisor))
        if operator == "**":
            raise Untraceable("it uses ** on a float")
        raise PathRaises

    def compare(self, operator: str, other: Any) -> Any:
        """With another number; false with NaN."""
        right = number(other)
        if isinstance(right, PythonInt):
            right = PythonFloat(as_exact_double(right.expression, right.bounds))
        if not isinstance(right, PythonFloat):
            return different_types(operator)
        return PythonBool(terms.float_compare(operator, self.expression, right.expression))

    def unary(self, operator: str) -> Any:
        """The same or negated number."""
        if operator == "~":
            raise PathRaises
        return self if operator == "+" else PythonFloat(terms.negative(self.expression))


def _not_zero(divisor: Expression) -> Expression:
    if isinstance(divisor, Literal):
        if divisor.value == 0:
            raise PathRaises
        return divisor
    zero = terms.compare("==", divisor, Literal(0.0, DOUBLE))
    return terms.required(divisor, terms.not_(zero))


def _divide(left: Expression, right: Expression) -> Expression:
    return terms.call(IEEE_DIVIDE, DOUBLE, left, _not_zero(right))


def int_constant(value: int) -> PythonInt:
    """A constant among symbols."""
    if not Bounds(value, value).within(bounds_of(LONG)):
        raise Untraceable("it uses an int of more than 64 bits")
    return PythonInt(Literal(value, LONG), Bounds(value, value))


def text(expression: Expression) -> Any:
    """A str."""
    from broadhead.tracing.python_text import PythonText

    return PythonText(expression)


def different_types(operator: str) -> bool:
    """A comparison of values that Python does not order."""
    if operator in ORDER:
        raise PathRaises
    return operator == "!="


def lifted(value: Any) -> Any:
    """A constant as a symbol, where it has one; other values unchanged."""
    if type(value) is bool:
        return PythonBool(Literal(value, BOOLEAN))
    if type(value) is int:
        return int_constant(value)
    if type(value) is float:
        return PythonFloat(Literal(value, DOUBLE))
    if type(value) is str:
        return text(Literal(value, STRING))
    return value


def number(value: Any) -> Any:
    """Like `lifted`, with bools as 0 and 1; refuses what Python's numbers may not know."""
    result = lifted(value)
    if isinstance(result, PythonBool):
        return result.as_int()
    if isinstance(result, PythonInt | PythonFloat) or result is None:
        return result
    raise Untraceable(f"it combines a number and a {type(value).__name__}")
