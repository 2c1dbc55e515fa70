"""What the tests ask of a traced function: its own results, and guards for all other rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from broadhead.columns import Batch, Column
from broadhead.errors import WouldRaise
from broadhead.expressions.compiler import compile_program
from broadhead.expressions.program import Services
from broadhead.tracing import edge_values
from broadhead.tracing.raising import would_raise
from broadhead.tracing.signature import (
    Argument,
    ConversionSettings,
    FunctionKind,
    FunctionSignature,
)
from broadhead.tracing.trace import Refused, Traced, trace
from broadhead.tracing.validate import validate
from broadhead.types import DataType
from engine.fragments import kernels_under_test
from tracing.pyspark_calls import calls

MOST_RAISING_ROWS = 6


def signature(
    kind: FunctionKind,
    returns: DataType,
    *arguments: DataType,
    nullable: bool = True,
    safe: bool = False,
) -> FunctionSignature:
    return FunctionSignature(
        kind,
        tuple(Argument(data_type, nullable) for data_type in arguments),
        returns,
        ConversionSettings(safe=safe),
    )


def check(function: Callable[..., Any], form: FunctionSignature) -> Traced:
    """The traced function, which gives what the function gives, or raises."""
    traced = trace(function, form)
    assert isinstance(traced, Traced), traced.reason
    validated = compared(function, form, traced)
    assert isinstance(validated, Traced), validated.reason
    assert traced.expression.type == form.returns
    check_guards(traced, form)
    return traced


def compared(
    function: Callable[..., Any], form: FunctionSignature, traced: Traced
) -> Traced | Refused:
    return validate(traced, calls(function, form), form, kernels_under_test())


def check_guards(traced: Traced, form: FunctionSignature) -> None:
    """Each of the rows that are left to the function raises alone."""
    rows = edge_values.rows(form, traced.expression)
    kernels = kernels_under_test()
    raising = compile_program(kernels, [would_raise(traced.expression)], {}, Services())
    program = compile_program(kernels, [traced.expression], {}, Services())
    columns = tuple(
        Column(kernels.columns.from_arrow(array, argument.type), argument.type)
        for array, argument in zip(rows.columns, form.arguments, strict=True)
    )
    (mask,) = raising.evaluate(Batch(columns, rows.num_rows), Services())
    flags = kernels.columns.to_arrow(mask.data, mask.type).to_pylist()
    for number in [n for n, flag in enumerate(flags) if flag][:MOST_RAISING_ROWS]:
        row = tuple(
            Column(kernels.columns.from_arrow(a.slice(number, 1), arg.type), arg.type)
            for a, arg in zip(rows.columns, form.arguments, strict=True)
        )
        with pytest.raises(WouldRaise):
            program.evaluate(Batch(row, 1), Services())


def reason(function: Callable[..., Any], form: FunctionSignature) -> str:
    """The reason why a function is refused."""
    result = trace(function, form)
    assert isinstance(result, Refused), "it is traced"
    return result.reason
