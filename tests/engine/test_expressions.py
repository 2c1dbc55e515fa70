"""Compiled expressions: sharing, folding, conditionals that must not raise."""

from __future__ import annotations

import pyarrow as pa
import pytest

from broadhead.columns import Batch, Column
from broadhead.errors import EngineLimit, WouldRaise
from broadhead.expressions.compiler import compile_program
from broadhead.expressions.program import Services
from broadhead.plan import nodes
from broadhead.plan.expressions import Expression
from broadhead.types import BOOLEAN, INTEGER, LONG, STRING
from engine.fragments import (
    MemorySources,
    attributes,
    call,
    column,
    kernels_under_test,
    literal,
    run_rows,
)

A = column(0, LONG)
B = column(1, LONG)


def divide(left: Expression, right: Expression) -> Expression:
    return call("IntegralDivide", LONG, left, right, eval_mode="ANSI")


def is_not_zero(value: Expression) -> Expression:
    return call("Not", BOOLEAN, call("EqualTo", BOOLEAN, value, literal(0, LONG)))


def evaluate(
    *expressions: Expression, a: list[int | None], b: list[int | None]
) -> list[list[object]]:
    source = nodes.RowSource(id=1, output=attributes(a=LONG, b=LONG), children=(), source=0)
    root = nodes.Project(
        id=0,
        output=attributes(**{f"c{i}": e.type for i, e in enumerate(expressions)}),
        children=(source,),
        expressions=expressions,
    )
    table = pa.record_batch({"a": pa.array(a, pa.int64()), "b": pa.array(b, pa.int64())})
    rows = run_rows(root, MemorySources({0: [table]}))
    return [list(values) for values in zip(*rows, strict=True)]


def test_equal_subexpressions_are_one_step() -> None:
    total = call("Add", LONG, A, B, eval_mode="LEGACY")
    program = compile_program(
        kernels_under_test(),
        [total, call("Multiply", LONG, total, total, eval_mode="LEGACY")],
        {},
        Services(),
    )
    assert len(program.steps) == 4


def test_constants_are_folded() -> None:
    sum_ = call("Add", LONG, literal(1, LONG), literal(2, LONG), eval_mode="ANSI")
    program = compile_program(kernels_under_test(), [sum_], {}, Services())
    kernels = kernels_under_test()
    a = Column(kernels.columns.from_arrow(pa.array([1, 2, 3]), LONG), LONG)
    (result,) = program.evaluate(Batch((a,), 3), Services())
    assert kernels.columns.to_arrow(result.data, LONG).to_pylist() == [3, 3, 3]


def test_a_constant_that_raises_does_so_only_for_rows() -> None:
    broken = divide(literal(1, LONG), literal(0, LONG))
    assert evaluate(broken, a=[], b=[]) == []
    with pytest.raises(WouldRaise):
        evaluate(broken, a=[1], b=[1])


def test_branches_raise_only_for_rows_that_reach_them() -> None:
    quotient = divide(A, B)
    safe = is_not_zero(B)
    case = call("CaseWhen", LONG, safe, quotient, literal(-1, LONG))
    if_ = call("If", LONG, safe, quotient, literal(-1, LONG))
    without_else = call("CaseWhen", LONG, safe, quotient)
    both = call("And", BOOLEAN, safe, call("EqualTo", BOOLEAN, quotient, literal(3, LONG)))
    either = call(
        "Or",
        BOOLEAN,
        call("Not", BOOLEAN, safe),
        call("EqualTo", BOOLEAN, quotient, literal(3, LONG)),
    )
    rows = {"a": [6, 6, None], "b": [2, 0, 1]}
    assert evaluate(case, if_, without_else, both, either, **rows) == [
        [3, -1, None],
        [3, -1, None],
        [3, None, None],
        [True, False, None],
        [True, True, None],
    ]
    with pytest.raises(WouldRaise, match="DIVIDE_BY_ZERO"):
        evaluate(quotient, **rows)


def test_coalesce_evaluates_what_is_missing() -> None:
    expression = call("Coalesce", LONG, A, divide(literal(10, LONG), B))
    assert evaluate(expression, a=[1, None], b=[0, 5]) == [[1, 2]]
    with pytest.raises(WouldRaise):
        evaluate(expression, a=[None], b=[0])


def test_large_values_are_made_only_for_rows_that_reach_them() -> None:
    large = call("StringRepeat", STRING, literal("xy", STRING), literal(1 << 30, INTEGER))
    choice = call("If", STRING, is_not_zero(B), literal("z", STRING), large)
    assert evaluate(choice, a=[1, 2], b=[1, 2]) == [["z", "z"]]
    with pytest.raises(EngineLimit):
        evaluate(choice, a=[1, 2], b=[1, 0])


def test_nested_conditionals() -> None:
    inner = call("If", LONG, is_not_zero(B), divide(A, B), literal(0, LONG))
    outer = call(
        "CaseWhen",
        LONG,
        call("IsNull", BOOLEAN, A),
        literal(-1, LONG),
        call("GreaterThan", BOOLEAN, A, literal(5, LONG)),
        inner,
        divide(A, literal(2, LONG)),
    )
    assert evaluate(outer, a=[None, 6, 9, 4], b=[1, 3, 0, 0]) == [[-1, 2, 0, 2]]


def test_a_literal_alone_is_repeated() -> None:
    assert evaluate(literal(7, INTEGER), a=[1, 2], b=[1, 2]) == [[7, 7]]
