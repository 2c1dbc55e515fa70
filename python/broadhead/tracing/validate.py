"""The comparison of an expression with its function on edge values, before it is used."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.columns import Batch, Column
from broadhead.errors import BroadheadError
from broadhead.expressions.compiler import compile_program
from broadhead.expressions.program import Services
from broadhead.tracing import edge_values
from broadhead.tracing.raising import would_raise
from broadhead.tracing.terms import zone_names
from broadhead.tracing.trace import Refused, Traced

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broadhead.kernels.interface import Kernels
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Zone
    from broadhead.tracing.signature import FunctionSignature

Evaluate = Callable[[pa.RecordBatch], pa.Array]
"""The function called by PySpark's own code: arguments by position, the result in its type."""

MOST_RAISING = 50
"""At least one of so many edge rows must have a result that does not raise."""


def validate(
    traced: Traced,
    evaluate: Evaluate,
    signature: FunctionSignature,
    kernels: Kernels,
    zones: Mapping[str, Zone] | None = None,
) -> Traced | Refused:
    """`traced` if it gives what the function gives, for rows that it does not leave to it."""
    for name in zone_names(traced.expression):
        if name not in (zones or {}):
            return Refused(f"the time zone {name} is not known to the fragment")
    rows = edge_values.rows(signature, traced.expression)
    try:
        raising = _values(would_raise(traced.expression), rows, signature, kernels, zones)
        kept = rows.filter(pc.invert(pc.fill_null(raising, True)))
        if kept.num_rows * MOST_RAISING < rows.num_rows:
            return Refused("most of its results only Python itself knows")
        for batch in _batches(kept):
            own = _values(traced.expression, batch, signature, kernels, zones)
            if (difference := _difference(batch, own, evaluate)) is not None:
                return Refused(difference)
    except BroadheadError as error:
        return Refused(f"its expression failed: {error}")
    return traced


def _batches(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """All rows, rows without nulls, and rows with nulls in one column: dtypes depend on them."""
    yield rows
    if not rows.num_columns:
        return
    valid = [pc.is_valid(column) for column in rows.columns]
    for number in range(-1, len(valid) if len(valid) > 1 else 0):
        masks = [mask for n, mask in enumerate(valid) if n != number]
        keep = masks[0]
        for mask in masks[1:]:
            keep = pc.and_(keep, mask)
        if 0 < pc.sum(keep).as_py() < rows.num_rows:
            yield rows.filter(keep)


def _values(
    expression: Expression,
    rows: pa.RecordBatch,
    signature: FunctionSignature,
    kernels: Kernels,
    zones: Mapping[str, Zone] | None,
) -> pa.Array:
    columns = tuple(
        Column(kernels.columns.from_arrow(array, argument.type), argument.type)
        for array, argument in zip(rows.columns, signature.arguments, strict=True)
    )
    program = compile_program(kernels, [expression], zones or {}, Services())
    (result,) = program.evaluate(Batch(columns, rows.num_rows), Services())
    return kernels.columns.to_arrow(result.data, expression.type)


def _difference(batch: pa.RecordBatch, own: pa.Array, evaluate: Evaluate) -> str | None:
    """The reason against the expression, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = evaluate(batch)
    except Exception as error:
        return f"its traced meaning differs: the function raises {type(error).__name__}"
    for number, (left, right) in enumerate(zip(own.to_pylist(), expected.to_pylist(), strict=True)):
        if not same(left, right):
            arguments = ", ".join(repr(column[number].as_py()) for column in batch.columns)
            return f"its traced meaning differs for ({arguments})"
    return None


def same(left: Any, right: Any) -> bool:
    """Whether two results are equal, with NaN equal to itself and -0.0 not equal to 0.0."""
    if isinstance(left, float) and isinstance(right, float):
        return repr(left) == repr(right)
    return type(left) is type(right) and bool(left == right)
