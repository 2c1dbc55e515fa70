"""Conditional expressions evaluated branch by branch, each only on the rows that reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from broadhead.expressions.program import Evaluation
    from broadhead.kernels.interface import Array


def _and(rows: Evaluation, arguments: Sequence[int]) -> Array:
    logic = rows.kernels.logic
    left = rows.array(arguments[0]).data
    reaches = logic.not_(logic.is_true(logic.not_(left)))
    return logic.and_(left, _on(rows, reaches, arguments[1]))


def _or(rows: Evaluation, arguments: Sequence[int]) -> Array:
    logic = rows.kernels.logic
    left = rows.array(arguments[0]).data
    reaches = logic.not_(logic.is_true(left))
    return logic.or_(left, _on(rows, reaches, arguments[1]))


def _case(rows: Evaluation, arguments: Sequence[int]) -> Array:
    """CASE and IF: pairs of condition and value, then optionally the value of ELSE."""
    logic = rows.kernels.logic
    if len(arguments) == 1:
        return rows.array(arguments[0]).data
    if not arguments:
        raise AssertionError("a CASE without branches has no value")
    condition = logic.is_true(rows.array(arguments[0]).data)
    then = _on(rows, condition, arguments[1])
    if len(arguments) == 2:
        return logic.null_where(then, logic.not_(condition))
    others = logic.not_(condition)
    otherwise = rows.kernels.columns.scatter(_case(rows.restrict(others), arguments[2:]), others)
    return logic.if_else(condition, then, otherwise)


def _coalesce(rows: Evaluation, arguments: Sequence[int]) -> Array:
    logic = rows.kernels.logic
    first = rows.array(arguments[0]).data
    if len(arguments) == 1:
        return first
    missing = logic.is_null(first)
    rest = _coalesce(rows.restrict(missing), arguments[1:])
    return logic.coalesce([first, rows.kernels.columns.scatter(rest, missing)])


def _on(rows: Evaluation, mask: Array, number: int) -> Array:
    """The step's result where `mask` is true, null elsewhere."""
    return rows.kernels.columns.scatter(rows.restrict(mask).array(number).data, mask)


CONDITIONALS: Mapping[str, Callable[[Evaluation, Sequence[int]], Array]] = {
    "And": _and,
    "Or": _or,
    "If": _case,
    "CaseWhen": _case,
    "Coalesce": _coalesce,
}
