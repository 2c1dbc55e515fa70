"""Where loose integers are -0.0 in the batches in which they are floats.

As integers they are 0. That shows only if they become floats: then such rows are left to pandas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.pandas_series import Kind, Series, limits_of
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


def negative_zero(value: Any) -> Expression:
    """Whether an operand may be -0.0 in some batches."""
    return value.negative_zero if isinstance(value, Series) else terms.FALSE


def of_result(operator: str, left: Any, right: Any, result: Expression) -> Expression:
    """Whether the result of loose integers may be -0.0 in some batches."""
    if operator == "+":
        return terms.and_(negative_zero(left), negative_zero(right))
    if operator == "-":
        return terms.and_(negative_zero(left), _is_zero(right))
    if operator == "%":
        return terms.and_(_zero(result), _below_zero(right))
    signs = _differ(_below_zero(left), _below_zero(right))
    # The two may come from different columns: only one of them is a float in some batches.
    uncertain = terms.or_(negative_zero(left), negative_zero(right))
    signs = terms.or_(signs, uncertain)
    if signs == terms.FALSE:
        return signs
    return terms.and_(signs, _zero(result) if operator == "*" else _is_zero(left))


def _differ(left: Expression, right: Expression) -> Expression:
    for side, other in ((left, right), (right, left)):
        if side in (terms.FALSE, terms.TRUE):
            return other if side == terms.FALSE else terms.not_(other)
    return terms.not_(terms.call("EqualTo", BOOLEAN, left, right))


def _below_zero(value: Any) -> Expression:
    """Whether an operand is less than zero."""
    bounds = limits_of(value)
    if bounds.low >= 0:
        return terms.FALSE
    if bounds.high < 0:
        return terms.TRUE
    zero = Literal(0, value.expression.type)
    return terms.false_if_null(terms.compare("<", value.expression, zero))


def _is_zero(value: Any) -> Expression:
    bounds = limits_of(value)
    if bounds.low > 0 or bounds.high < 0:
        return terms.FALSE
    if not isinstance(value, Series):
        return terms.TRUE
    if value.kind is Kind.BOOL:
        return terms.not_(value.expression)
    return _zero(value.expression)


def _zero(expression: Expression) -> Expression:
    return terms.false_if_null(terms.compare("==", expression, Literal(0, expression.type)))
