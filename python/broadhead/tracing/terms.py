"""Expressions for the operations of traced functions, with the fields that Spark's classes have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from broadhead.expressions import traced_calls
from broadhead.expressions.call_functions import function_of
from broadhead.plan import known_functions
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.types import BOOLEAN, DOUBLE, INTEGER, INTEGRAL_BITS, LONG, STRING

if TYPE_CHECKING:
    from broadhead.types import DataType

TRUE = Literal(True, BOOLEAN)
FALSE = Literal(False, BOOLEAN)
MOST_NODES = 2000


def call(name: str, data_type: DataType, *children: Expression, **fields: Any) -> Call:
    """The call, nullable if a child is."""
    nullable = any(child.nullable for child in children)
    return Call(name, data_type, nullable, children, tuple(sorted(fields.items())))


def null(data_type: DataType) -> Literal:
    """NULL of a type."""
    return Literal(None, data_type)


def not_(condition: Expression) -> Expression:
    """The opposite."""
    if isinstance(condition, Literal) and condition.value is not None:
        return Literal(not condition.value, BOOLEAN)
    if isinstance(condition, Call) and condition.name == known_functions.NOT:
        return condition.children[0]
    return call("Not", BOOLEAN, condition)


def and_(left: Expression, right: Expression) -> Expression:
    """Whether both are true."""
    if left in (TRUE, right) or right == FALSE:
        return right
    if right == TRUE or left == FALSE:
        return left
    return call("And", BOOLEAN, left, right)


def or_(left: Expression, right: Expression) -> Expression:
    """Whether one is true."""
    return not_(and_(not_(left), not_(right))) if _is_constant(left, right) else _or(left, right)


def _or(left: Expression, right: Expression) -> Expression:
    return left if left == right else call("Or", BOOLEAN, left, right)


def _is_constant(*conditions: Expression) -> bool:
    return any(condition in (TRUE, FALSE) for condition in conditions)


def if_(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then` where the condition is true, else `otherwise`."""
    if isinstance(condition, Call) and condition.name == known_functions.COALESCE:
        first, *others = condition.children
        # null is as good as false
        condition = first if others == [FALSE] else condition
    if then == otherwise or condition == TRUE:
        return then
    if condition == FALSE:
        return otherwise
    nullable = then.nullable or otherwise.nullable
    return Call("If", then.type, nullable, (condition, then, otherwise))


def guarded(value: Expression, holds: Expression) -> Expression:
    """The value; a row for which the condition is false is left to the function itself."""
    if holds == TRUE:
        return value
    return Call(traced_calls.GUARD, value.type, value.nullable, (value, holds))


def required(value: Expression, holds: Expression) -> Expression:
    """The value; Python raises for a row for which the condition is false."""
    if holds == TRUE:
        return value
    fields = (("python_raises", True),)
    return Call(traced_calls.GUARD, value.type, value.nullable, (value, holds), fields)


def is_null(value: Expression) -> Expression:
    """Whether the value is null."""
    if not value.nullable:
        return FALSE
    return Call("IsNull", BOOLEAN, False, (value,))


def is_nan(value: Expression) -> Expression:
    """Whether the value is NaN; false for null."""
    return Call("IsNaN", BOOLEAN, False, (value,))


def false_if_null(condition: Expression) -> Expression:
    """The condition, which is never null."""
    return coalesce(condition, FALSE)


def coalesce(value: Expression, otherwise: Expression) -> Expression:
    """The value, or the other one where it is null."""
    if not value.nullable:
        return value
    return Call("Coalesce", value.type, otherwise.nullable, (value, otherwise))


def cast(
    value: Expression, data_type: DataType, *, checked: bool = False, zone: str | None = None
) -> Expression:
    """The value as another type, in a time zone where that matters.

    `checked`: a row whose value does not fit is left to Python.
    """
    if value.type == data_type:
        return value
    if isinstance(value, Literal) and (folded := _cast_literal(value, data_type)) is not None:
        return folded
    if _is_widening(value) and (data_type.is_integral or data_type in (DOUBLE, STRING)):
        return cast(value.children[0], data_type, checked=checked)
    mode = "ANSI" if checked else "LEGACY"
    return Call(
        "Cast",
        data_type,
        value.nullable,
        (value,),
        (("eval_mode", mode), ("time_zone_id", zone), ("shortest_digits", True)),
    )


def _cast_literal(value: Literal, data_type: DataType) -> Literal | None:
    """The constant in another type that represents it."""
    if not value.type.is_integral:
        return None
    if value.value is None:
        return null(data_type)
    if data_type.is_integral:
        end = 1 << INTEGRAL_BITS[data_type.name] - 1
        return Literal(value.value, data_type) if -end <= value.value < end else None
    if data_type == DOUBLE and abs(value.value) <= 1 << 53:
        return Literal(float(value.value), DOUBLE)
    return None


def _is_widening(value: Expression) -> TypeGuard[Call]:
    """Whether the value is a cast of an integer to a long."""
    return (
        isinstance(value, Call)
        and value.name == known_functions.CAST
        and value.type == LONG
        and value.children[0].type.is_integral
    )


def arithmetic(
    name: str, left: Expression, right: Expression, *, checked: bool = False
) -> Expression:
    """Add, Subtract or Multiply; `checked`: an overflow is left to Python, else it wraps."""
    return call(name, left.type, left, right, eval_mode="ANSI" if checked else "LEGACY")


def negative(value: Expression, *, checked: bool = False) -> Expression:
    """The negated number."""
    return call("UnaryMinus", value.type, value, fail_on_error=checked)


def magnitude(value: Expression, *, checked: bool = False) -> Expression:
    """The number without its sign."""
    return call("Abs", value.type, value, fail_on_error=checked)


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """A comparison in Spark's order; null if a side is null."""
    if operator == "!=":
        return not_(call("EqualTo", BOOLEAN, left, right))
    return call(COMPARISONS[operator], BOOLEAN, left, right)


COMPARISONS = {
    "==": "EqualTo",
    "<": "LessThan",
    "<=": "LessThanOrEqual",
    ">": "GreaterThan",
    ">=": "GreaterThanOrEqual",
}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def exact_in_double(value: Expression) -> Expression:
    """A long; a row whose value a double may not represent is left to Python."""
    if isinstance(value, Call) and value.name == traced_calls.EXACT_IN_DOUBLE:
        return value
    return call(traced_calls.EXACT_IN_DOUBLE, LONG, value)


def float_compare(operator: str, left: Expression, right: Expression) -> Expression:
    """A comparison of floats by IEEE: false with NaN, which is Spark's greatest value.

    Null stays null.
    """
    if operator == "!=":
        return not_(float_compare("==", left, right))
    spark = compare(operator, left, right)
    # Spark's comparison is true for NaN only on the greater side, or on both.
    side = right if operator in {"<", "<="} else left
    if isinstance(side, Literal):
        side = left if operator == "==" else side
    if isinstance(side, Literal):
        return FALSE if side.value != side.value else spark
    return and_(spark, not_(is_nan(side)))


def length(text: Expression) -> Expression:
    """Number of characters."""
    return call("Length", INTEGER, text)


def substring(text: Expression, position: Expression, count: Expression) -> Expression:
    """Spark's substring: positions start at 1."""
    return call("Substring", STRING, text, position, count)


def integer(value: int) -> Literal:
    """A constant of type integer."""
    return Literal(value, INTEGER)


def is_null_with(expression: Expression, ordinal: int) -> bool:
    """Whether the expression is surely null in rows where that argument is null."""
    match expression:
        case BoundReference():
            return expression.ordinal == ordinal
        case Call(traced_calls.GUARD, _, _, (value, _)):
            return False if _raises_for_null(expression) else is_null_with(value, ordinal)
        case Call(known_functions.IF, _, _, (_, then, otherwise)):
            return is_null_with(then, ordinal) and is_null_with(otherwise, ordinal)
        case Call():
            function = function_of(expression)
            null = function is not None and function.null_intolerant
            return null and any(is_null_with(child, ordinal) for child in expression.children)
    return False


def _raises_for_null(guard: Call) -> bool:
    """Whether the condition of a guard may be false, rather than null, for a null."""
    return not guard.children[1].nullable


def zone_names(expression: Expression) -> set[str]:
    """The time zones that the expression needs from its fragment."""
    names: set[str] = set()
    rest = [expression]
    while rest:
        node = rest.pop()
        if isinstance(node, Call):
            name = dict(node.fields).get("time_zone_id")
            names |= {name} if name is not None else set()
            rest += node.children
    return names


def is_large(expression: Expression) -> bool:
    """Whether the expression, written out, has more nodes than a traced one may have."""
    count = 0
    rest = [expression]
    while rest:
        node = rest.pop()
        count += 1
        if count > MOST_NODES:
            return True
        if isinstance(node, Call):
            rest += node.children
    return False
