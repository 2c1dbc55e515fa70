"""The rows for which an expression raises `WouldRaise`, as an expression that does not raise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from broadhead.expressions.traced_calls import EXACT_IN_DOUBLE, GUARD
from broadhead.plan import known_functions
from broadhead.plan.expressions import Call, Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import EXACT, bounds_of
from broadhead.types import LONG

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


def would_raise(expression: Expression) -> Expression:
    """Whether the row raises; evaluate it together with nothing else."""
    return _Raising().of(expression)


class _Raising:
    def __init__(self) -> None:
        self._quiet: dict[int, tuple[Expression, Expression]] = {}

    def of(self, expression: Expression) -> Expression:
        if not isinstance(expression, Call):
            return terms.FALSE
        if expression.name == known_functions.IF:
            condition, then, otherwise = expression.children
            branch = terms.if_(self.quiet(condition), self.of(then), self.of(otherwise))
            return terms.or_(self.of(condition), branch)
        if expression.name == known_functions.AND:
            left, right = expression.children
            reached = terms.not_(terms.false_if_null(terms.not_(self.quiet(left))))
            return terms.or_(self.of(left), terms.and_(reached, self.of(right)))
        if expression.name == known_functions.OR:
            left, right = expression.children
            reached = terms.not_(terms.false_if_null(self.quiet(left)))
            return terms.or_(self.of(left), terms.and_(reached, self.of(right)))
        result: Expression = self._own(expression)
        for child in expression.children:
            result = terms.or_(result, self.of(child))
        return result

    def _own(self, call: Call) -> Expression:
        """Whether the call itself raises."""
        children = [self.quiet(child) for child in call.children]
        if call.name == GUARD:
            return terms.false_if_null(terms.not_(children[1]))
        if call.name == EXACT_IN_DOUBLE:
            low, high = Literal(-EXACT, LONG), Literal(EXACT, LONG)
            inside = terms.and_(
                terms.compare("<=", low, children[0]), terms.compare("<=", children[0], high)
            )
            return terms.false_if_null(terms.not_(inside))
        if dict(call.fields).get("eval_mode") == "ANSI":
            result: Expression = Call("IsNull", terms.TRUE.type, False, (self.quiet(call),))
            for child in children:
                result = terms.and_(result, terms.not_(terms.is_null(child)))
            return result
        if dict(call.fields).get("fail_on_error") is True:
            value = Literal(bounds_of(call.type).low, call.type)
            return terms.false_if_null(terms.compare("==", children[0], value))
        return terms.FALSE

    def quiet(self, expression: Expression) -> Expression:
        """The expression without guards and with TRY for ANSI."""
        if not isinstance(expression, Call):
            return expression
        known = self._quiet.get(id(expression))
        if known is None:
            known = self._quiet[id(expression)] = (expression, self._make_quiet(expression))
        return known[1]

    def _make_quiet(self, call: Call) -> Expression:
        children = tuple(self.quiet(child) for child in call.children)
        if call.name in (GUARD, EXACT_IN_DOUBLE):
            return children[0]
        fields = tuple(
            (name, {"eval_mode": "TRY", "fail_on_error": False}[name])
            if value in ("ANSI", True) and name in ("eval_mode", "fail_on_error")
            else (name, value)
            for name, value in call.fields
        )
        is_try = fields != call.fields
        return replace(call, children=children, fields=fields, nullable=call.nullable or is_try)
