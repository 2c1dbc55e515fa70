"""Functions of `pyarrow.compute` with arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.expressions.traced_calls import (
    FLOOR_FLOAT,
    HOST_TEXT,
    IEEE_DIVIDE,
    IEEE_SQRT,
    ROUND_TO_EVEN,
)
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.arrow_arrays import (
    Array,
    converted,
    exactly,
    null_if,
    sample,
    spark_type,
)
from broadhead.tracing.known_values import name_of
from broadhead.tracing.numbers import NAMES, bounds_of
from broadhead.tracing.obligations import with_obligations
from broadhead.tracing.python_text import trimmed
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.text_slices import sliced
from broadhead.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.tracing.machine import Machine
    from broadhead.types import DataType

INFINITY = float("inf")
COMPARISONS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}


def call(machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a function of `pyarrow.compute`."""
    name = _names().get(function)
    if name is None:
        raise Untraceable(f"it calls {name_of(function)}")
    return named(name, arguments, keywords)


def named(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Array:
    """The result of the function of this name."""
    try:
        return HANDLERS[name](*arguments, **keywords)
    except TypeError:
        raise Untraceable(f"it calls pyarrow.compute.{name} with other arguments") from None


@cache
def _names() -> dict[Any, str]:
    return {getattr(pc, name): name for name in HANDLERS if hasattr(pc, name)}


def _array(value: Any) -> Array:
    if not isinstance(value, Array):
        raise Untraceable(f"it calls a function of Arrow with a {type(value).__name__}")
    return value


def _result_type(name: str, *operands: Any) -> DataType:
    """The type that Arrow gives the result."""
    try:
        return spark_type(getattr(pc, name)(*map(sample, operands)).type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        raise Untraceable(f"it calls pyarrow.compute.{name} with other types") from None


def _arithmetic(operator: str, name: str) -> Callable[..., Array]:
    checked = name.endswith("_checked")

    def apply(x: Any, y: Any) -> Array:
        data_type = _result_type(name, x, y)
        left, right = converted(x, data_type), converted(y, data_type)
        if not (data_type.is_integral or data_type.is_floating):
            raise Untraceable(f"it calls pyarrow.compute.{name} with other types")
        result = terms.arithmetic(
            NAMES[operator], left, right, checked=checked and data_type.is_integral
        )
        return Array(result)

    return apply


def _divide(name: str) -> Callable[..., Array]:
    def apply(dividend: Any, divisor: Any) -> Array:
        data_type = _result_type(name, dividend, divisor)
        left, right = converted(dividend, data_type), converted(divisor, data_type)
        zero = Literal(0.0 if data_type.is_floating else 0, data_type)
        nonzero = terms.not_(terms.compare("==", right, zero))
        if data_type.is_floating:
            right = terms.required(right, nonzero) if name.endswith("checked") else right
            return Array(terms.call(IEEE_DIVIDE, data_type, left, right))
        if not data_type.is_integral:
            raise Untraceable(f"it calls pyarrow.compute.{name} with other types")
        least = Literal(bounds_of(data_type).low, data_type)
        overflows = terms.and_(
            terms.compare("==", left, least),
            terms.compare("==", right, Literal(-1, data_type)),
        )
        left = terms.required(terms.guarded(left, terms.not_(overflows)), nonzero)
        sides = terms.cast(left, LONG), terms.cast(right, LONG)
        quotient = terms.call("IntegralDivide", LONG, *sides, eval_mode="LEGACY")
        return Array(terms.cast(quotient, data_type))

    return apply


def _compare(name: str) -> Callable[..., Array]:
    operator = COMPARISONS[name]

    def apply(x: Any, y: Any) -> Array:
        _result_type(name, x, y)
        data_type = _common_type(x, y)
        left, right = converted(x, data_type), converted(y, data_type)
        if data_type.is_floating:
            result = _float_compare(operator, left, right)
            return Array(with_obligations(result, [left, right], ()))
        return Array(terms.compare(operator, left, right))

    return apply


def _common_type(*values: Any) -> DataType:
    """The type to which Arrow converts values for one kernel."""
    arrays = [value for value in values if isinstance(value, Array)]
    if len({value.expression.type for value in arrays}) == len(values) == 1:
        return arrays[0].expression.type
    samples = list(map(sample, values))
    if len({value.type for value in samples}) == 1:
        return spark_type(samples[0].type)
    return _result_type("add", *values)


def _float_compare(operator: str, left: Expression, right: Expression) -> Expression:
    """False with NaN, null with null."""
    if operator == "!=":
        return terms.not_(_float_compare("==", left, right))
    spark = terms.compare(operator, left, right)
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Literal):
            if side.value != side.value:
                raise Untraceable("it compares with NaN")
            continue
        unordered: Expression = terms.FALSE
        if other.nullable:
            unordered = null_if(terms.is_null(other), unordered)
        spark = terms.if_(terms.is_nan(side), unordered, spark)
    return spark


def _boolean(value: Any) -> Expression:
    if type(value) is bool:
        return Literal(value, BOOLEAN)
    expression = _array(value).expression
    if expression.type != BOOLEAN:
        raise Untraceable(f"it uses {_array(value).shown} as booleans")
    return expression


def _logic(operator: str, *, kleene: bool) -> Callable[..., Array]:
    def apply(x: Any, y: Any) -> Array:
        left, right = _boolean(x), _boolean(y)
        if operator == "xor":
            return Array(terms.not_(terms.call("EqualTo", BOOLEAN, left, right)))
        both = terms.and_(left, right) if operator == "and" else terms.or_(left, right)
        if kleene:
            return Array(both)
        missing = terms.or_(terms.is_null(left), terms.is_null(right))
        return Array(null_if(missing, both))

    return apply


def _invert(values: Any) -> Array:
    return Array(terms.not_(_boolean(values)))


def _is_null(values: Any, nan_is_null: Any = False) -> Array:  # noqa: FBT002
    value = _array(values).expression
    missing = terms.is_null(value)
    if nan_is_null and value.type.is_floating:
        missing = terms.or_(missing, terms.is_nan(value))
    return Array(missing)


def _is_valid(values: Any) -> Array:
    return Array(terms.not_(terms.is_null(_array(values).expression)))


def _floating(values: Any) -> Expression:
    expression = _array(values).expression
    if not expression.type.is_floating:
        raise Untraceable(f"it uses {_array(values).shown} as floats")
    return expression


def _is_nan(values: Any) -> Array:
    value = _floating(values)
    return Array(null_if(terms.is_null(value), terms.is_nan(value)))


def _is_finite(values: Any) -> Array:
    value = _floating(values)
    return Array(terms.compare("<", terms.magnitude(value), Literal(INFINITY, value.type)))


def _is_inf(values: Any) -> Array:
    value = _floating(values)
    return Array(terms.compare("==", terms.magnitude(value), Literal(INFINITY, value.type)))


def _if_else(cond: Any, left: Any, right: Any) -> Array:
    condition = _boolean(cond)
    data_type = _common_type(left, right)
    sides = converted(left, data_type), converted(right, data_type)
    value = null_if(terms.is_null(condition), terms.if_(condition, *sides))
    # Arrow converts all rows before it chooses.
    return Array(with_obligations(value, sides, ()))


def _coalesce(*values: Any) -> Array:
    data_type = _array(values[0]).expression.type
    result = converted(values[-1], data_type)
    for value in reversed(values[:-1]):
        if _array(value).expression.type != data_type:
            raise Untraceable("it chooses between arrays of several types")
        result = terms.coalesce(value.expression, result)
    return Array(result)


def _fill_null(values: Any, fill_value: Any) -> Array:
    data_type = _array(values).expression.type
    if not isinstance(fill_value, Array) and data_type.is_floating:
        fill_value = float(fill_value)
    if data_type.name == "float":
        raise Untraceable("it fills floats")
    return _coalesce(values, fill_value)


def cast(expression: Expression, data_type: DataType) -> Expression | None:
    """Arrow's safe cast; None if it is not traced."""
    own = expression.type
    if own == data_type:
        return expression
    if own.is_integral and data_type.is_integral:
        fits = bounds_of(own).within(bounds_of(data_type))
        return terms.cast(expression, data_type, checked=not fits)
    if own.is_integral and data_type.is_floating:
        return terms.cast(exactly(expression, data_type), data_type)
    if own.is_floating and data_type.is_floating:
        return terms.cast(expression, data_type)
    if own.is_floating and data_type.is_integral:
        number = terms.cast(expression, DOUBLE)
        whole = terms.float_compare("==", terms.call(ROUND_TO_EVEN, DOUBLE, number), number)
        high = Literal(float(bounds_of(data_type).high + 1), DOUBLE)
        inside = terms.and_(whole, terms.compare("<", number, high))
        return terms.cast(terms.required(number, inside), data_type, checked=True)
    if own.is_integral and data_type == STRING:
        return terms.cast(expression, STRING)
    if own == BOOLEAN and data_type.is_integral:
        return terms.cast(expression, data_type)
    return None


def _cast(arr: Any, target_type: Any = None, safe: Any = True) -> Array:  # noqa: FBT002
    if isinstance(target_type, str):
        target_type = pa.type_for_alias(target_type)
    if not isinstance(target_type, pa.DataType) or safe is not True:
        raise Untraceable("it calls cast with other arguments")
    result = cast(_array(arr).expression, spark_type(target_type))
    if result is None:
        raise Untraceable(f"it converts {_array(arr).shown} to {target_type}")
    return Array(result)


def _negate(x: Any) -> Array:
    value = _number(x)
    return Array(terms.negative(value))


def _negate_checked(x: Any) -> Array:
    value = _number(x)
    return Array(terms.negative(value, checked=value.type.is_integral))


def _abs(x: Any) -> Array:
    return Array(terms.magnitude(_number(x)))


def _abs_checked(x: Any) -> Array:
    value = _number(x)
    return Array(terms.magnitude(value, checked=value.type.is_integral))


def _number(value: Any) -> Expression:
    expression = _array(value).expression
    if not (expression.type.is_integral or expression.type.is_floating):
        raise Untraceable(f"it computes with {_array(value).shown}")
    return expression


def _of_floats(name: str) -> Callable[..., Array]:
    call_name = {"floor": FLOOR_FLOAT, "sqrt": IEEE_SQRT, "ceil": FLOOR_FLOAT}[name]

    def apply(x: Any) -> Array:
        value = _floating(x)
        if name == "ceil":
            floor = terms.call(call_name, value.type, terms.negative(value))
            return Array(terms.negative(floor))
        return Array(terms.call(call_name, value.type, value))

    return apply


def _text(value: Any) -> Expression:
    expression = _array(value).expression
    if expression.type != STRING:
        raise Untraceable(f"it uses {_array(value).shown} as strings")
    return expression


def _case(name: str) -> Callable[..., Array]:
    def apply(strings: Any) -> Array:
        return Array(terms.call(HOST_TEXT, STRING, _text(strings), method=name, arguments=()))

    return apply


def _trim(name: str) -> Callable[..., Array]:
    side = {"utf8_trim": "strip", "utf8_ltrim": "lstrip", "utf8_rtrim": "rstrip"}
    if name.endswith("_whitespace"):
        kind = side[name.removesuffix("_whitespace")]
        return lambda strings: Array(trimmed(kind, _text(strings), None))
    return lambda strings, characters: Array(trimmed(side[name], _text(strings), characters))


def _matches(call_name: str) -> Callable[..., Array]:
    def apply(strings: Any, pattern: Any, *, ignore_case: Any = False) -> Array:
        if type(pattern) is not str or ignore_case is not False:
            raise Untraceable("it searches with other arguments")
        return Array(terms.call(call_name, BOOLEAN, _text(strings), Literal(pattern, STRING)))

    return apply


def _length(strings: Any) -> Array:
    return Array(terms.length(_text(strings)))


def _slice(strings: Any, start: Any, stop: Any = None, step: Any = 1) -> Array:
    return Array(sliced(_text(strings), start, stop, step))


def _join(*strings: Any) -> Array:
    *parts, separator = [s if isinstance(s, str) else _text(s) for s in strings]
    terms_ = [Literal(part, STRING) if isinstance(part, str) else part for part in parts]
    if not isinstance(separator, str) or not terms_:
        raise Untraceable("it joins with a separator that is not a constant")
    joined = [terms_[0]]
    for part in terms_[1:]:
        joined += [Literal(separator, STRING), part] if separator else [part]
    return Array(terms.call("Concat", STRING, *joined) if len(joined) > 1 else joined[0])


def _date_field(call_name: str) -> Callable[..., Array]:
    def apply(values: Any) -> Array:
        expression = _array(values).expression
        if expression.type.name != "date":
            raise Untraceable(f"it uses {_array(values).shown} as dates")
        return Array(terms.cast(terms.call(call_name, INTEGER, expression), LONG))

    return apply


HANDLERS: dict[str, Callable[..., Array]] = {
    **{
        f"{name}{checked}": _arithmetic(operator, f"{name}{checked}")
        for name, operator in (("add", "+"), ("subtract", "-"), ("multiply", "*"))
        for checked in ("", "_checked")
    },
    **{name: _divide(name) for name in ("divide", "divide_checked")},
    **{name: _compare(name) for name in COMPARISONS},
    "and_": _logic("and", kleene=False),
    "or_": _logic("or", kleene=False),
    "and_kleene": _logic("and", kleene=True),
    "or_kleene": _logic("or", kleene=True),
    "xor": _logic("xor", kleene=False),
    "invert": _invert,
    "is_null": _is_null,
    "is_valid": _is_valid,
    "is_nan": _is_nan,
    "is_finite": _is_finite,
    "is_inf": _is_inf,
    "if_else": _if_else,
    "coalesce": _coalesce,
    "fill_null": _fill_null,
    "cast": _cast,
    "negate": _negate,
    "negate_checked": _negate_checked,
    "abs": _abs,
    "abs_checked": _abs_checked,
    **{name: _of_floats(name) for name in ("floor", "ceil", "sqrt")},
    **{name: _case(name) for name in ("utf8_upper", "utf8_lower")},
    **{
        f"{name}{what}": _trim(f"{name}{what}")
        for name in ("utf8_trim", "utf8_ltrim", "utf8_rtrim")
        for what in ("", "_whitespace")
    },
    "starts_with": _matches("StartsWith"),
    "ends_with": _matches("EndsWith"),
    "match_substring": _matches("Contains"),
    "utf8_length": _length,
    "utf8_slice_codeunits": _slice,
    "binary_join_element_wise": _join,
    "year": _date_field("Year"),
    "month": _date_field("Month"),
    "day": _date_field("DayOfMonth"),
    "quarter": _date_field("Quarter"),
    "day_of_year": _date_field("DayOfYear"),
    "day_of_week": _date_field("WeekDay"),
}
