"""Builtins and functions of `math` with symbols of plain Python functions."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from broadhead.expressions.traced_calls import FLOOR_FLOAT, IEEE_SQRT, ROUND_TO_EVEN
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.known_values import name_of
from broadhead.tracing.numbers import bounds_of
from broadhead.tracing.python_text import PythonDate, PythonText
from broadhead.tracing.python_values import (
    PythonBool,
    PythonFloat,
    PythonInt,
    PythonValue,
    lifted,
    number,
    text,
)
from broadhead.tracing.refusal import PathRaises, Untraceable
from broadhead.tracing.symbol import Symbol
from broadhead.types import BOOLEAN, DOUBLE, LONG, STRING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.tracing.machine import Machine

INFINITY = Literal(math.inf, DOUBLE)
LONG_END = Literal(2.0**63, DOUBLE)
LONG_START = Literal(-(2.0**63), DOUBLE)


def is_finite(value: Expression) -> Expression:
    """Whether a double is neither infinite nor NaN, which is Spark's greatest value."""
    return terms.compare("<", terms.magnitude(value), INFINITY)


def to_int(value: Expression) -> PythonInt:
    """A double without its fraction; NaN and what does not fit is left to Python."""
    fits = terms.and_(terms.compare("<", value, LONG_END), terms.compare("<=", LONG_START, value))
    result = terms.cast(terms.required(value, fits), LONG, checked=True)
    return PythonInt(result, bounds_of(LONG))


def _int(machine: Machine, value: Any) -> Any:
    match value:
        case PythonBool():
            return value.as_int()
        case PythonInt():
            return value
        case PythonFloat():
            return to_int(value.expression)
    raise Untraceable(f"it calls int with {value.shown}")


def _float(machine: Machine, value: Any) -> Any:
    match value:
        case PythonBool() | PythonInt():
            return PythonFloat(number(value).as_double())
        case PythonFloat():
            return value
    raise Untraceable(f"it calls float with {value.shown}")


def _str(machine: Machine, value: Any) -> Any:
    if isinstance(value, PythonDate):
        return text(terms.cast(value.expression, STRING))
    return value.formatted()


def _bool(machine: Machine, value: Any) -> Any:
    return PythonBool(value.truth())


def _abs(machine: Machine, value: Any) -> Any:
    value = number(value)
    if isinstance(value, PythonInt):
        return value.magnitude()
    return PythonFloat(terms.magnitude(value.expression))


def _len(machine: Machine, value: Any) -> Any:
    if isinstance(value, PythonText):
        return value.size()
    raise PathRaises


def _round(machine: Machine, value: Any, digits: Any = None) -> Any:
    value = number(value)
    if digits is not None:
        raise Untraceable("it rounds to digits")
    if isinstance(value, PythonInt):
        return value
    return to_int(terms.call(ROUND_TO_EVEN, DOUBLE, value.expression))


def _isinstance(machine: Machine, value: Any, kinds: Any) -> Any:
    types = {PythonBool: (bool, int), PythonInt: (int,), PythonFloat: (float,), PythonText: (str,)}
    own = types.get(type(value))
    asked = kinds if isinstance(kinds, tuple) else (kinds,)
    known = {bool, int, float, str, type(None), list, dict, tuple, bytes}
    if own is None or not all(isinstance(kind, type) and kind in known for kind in asked):
        raise Untraceable("it calls isinstance with a type that is not traced")
    return any(kind in own for kind in asked)


def _extreme(name: str) -> Callable[..., Any]:
    operator = {"min": "<", "max": ">"}[name]

    def choose(machine: Machine, *values: Any) -> Any:
        if len(values) == 1 and isinstance(values[0], tuple | list):
            values = tuple(values[0])
        if not values:
            raise PathRaises
        best = values[0]
        for value in values[1:]:
            better = machine.compare(operator, value, best)
            best = _either(machine, better, value, best)
        return best

    return choose


def _either(machine: Machine, condition: Any, then: Any, otherwise: Any) -> Any:
    """One value of both if their types are the same, else the path's."""
    left, right = lifted(then), lifted(otherwise)
    if not isinstance(condition, Symbol) or type(left) is not type(right):
        return then if machine.truth(condition) else otherwise
    expression = terms.if_(condition.truth(), left.expression, right.expression)
    if isinstance(left, PythonInt):
        return PythonInt(expression, left.bounds.joined(right.bounds))
    return type(left)(expression)


def _sum(machine: Machine, values: Any, start: Any = 0) -> Any:
    if not isinstance(values, tuple | list):
        raise Untraceable("it calls sum with a value")
    total = start
    for value in values:
        total = machine.binary("+", total, value)
    return total


def _pow(machine: Machine, base: Any, exponent: Any) -> Any:
    return machine.binary("**", base, exponent)


def _divmod(machine: Machine, left: Any, right: Any) -> Any:
    return machine.binary("//", left, right), machine.binary("%", left, right)


def _double(value: Any) -> Expression:
    value = number(value)
    if isinstance(value, PythonInt):
        value = PythonFloat(value.as_double())
    expression: Expression = value.expression
    return expression


def _sqrt(machine: Machine, value: Any) -> Any:
    double = _double(value)
    negative = terms.compare("<", double, Literal(0.0, DOUBLE))
    return PythonFloat(terms.call(IEEE_SQRT, DOUBLE, terms.required(double, terms.not_(negative))))


def _floor(machine: Machine, value: Any) -> Any:
    if isinstance(value, PythonInt):
        return value
    return to_int(terms.call(FLOOR_FLOAT, DOUBLE, _double(value)))


def _ceil(machine: Machine, value: Any) -> Any:
    if isinstance(value, PythonInt):
        return value
    floor = terms.call(FLOOR_FLOAT, DOUBLE, terms.negative(_double(value)))
    return to_int(terms.negative(floor))


def _fabs(machine: Machine, value: Any) -> Any:
    return PythonFloat(terms.magnitude(_double(value)))


def _isnan(machine: Machine, value: Any) -> Any:
    return PythonBool(terms.is_nan(_double(value)))


def _isinf(machine: Machine, value: Any) -> Any:
    return PythonBool(terms.call("EqualTo", BOOLEAN, terms.magnitude(_double(value)), INFINITY))


def _isfinite(machine: Machine, value: Any) -> Any:
    return PythonBool(is_finite(_double(value)))


CALLS: dict[Any, Callable[..., Any]] = {
    int: _int,
    float: _float,
    str: _str,
    bool: _bool,
    builtins.abs: _abs,
    builtins.len: _len,
    builtins.round: _round,
    builtins.isinstance: _isinstance,
    builtins.sum: _sum,
    builtins.pow: _pow,
    builtins.divmod: _divmod,
    builtins.min: _extreme("min"),
    builtins.max: _extreme("max"),
    math.sqrt: _sqrt,
    math.floor: _floor,
    math.ceil: _ceil,
    math.trunc: _int,
    math.fabs: _fabs,
    math.isnan: _isnan,
    math.isinf: _isinf,
    math.isfinite: _isfinite,
}


def call(machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a function of which an argument is a symbol."""
    handler = CALLS.get(function)
    if handler is None or keywords:
        raise Untraceable(f"it calls {name_of(function)}")
    symbols = [value for value in arguments if isinstance(value, Symbol)]
    if any(not isinstance(value, PythonValue) for value in symbols):
        raise Untraceable(f"it calls {name_of(function)}")
    try:
        return handler(machine, *arguments)
    except TypeError:
        raise Untraceable(f"it calls {name_of(function)} with other arguments") from None
