"""The comparison of a function on a GPU with itself on the CPU, for edge values.

Only functions of single rows can be compared: they have no side effects.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import Literal
from broadhead.tracing import edge_values
from broadhead.tracing.signature import Argument, FunctionKind, FunctionSignature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from broadhead.plan.python_nodes import EvalPython

    Evaluate = Callable[[pa.RecordBatch], Sequence[pa.Array]]

TOLERANCE = {"double": 1e-12, "float": 1e-6}
"""Relative difference of results that only the last digits of a function of the GPU explain."""

SMALLEST = 1e-300


def edge_rows(node: EvalPython) -> pa.RecordBatch:
    """Edge values of a node's inputs, with nulls where whole batches may have them."""
    assert node.device is not None
    arguments = tuple(
        Argument(value.type, value.nullable and number not in node.device.dense)
        for number, value in enumerate(node.inputs)
    )
    returns = node.functions.calls[0].type
    signature = FunctionSignature(FunctionKind.SCALAR_PANDAS, arguments, returns)
    return edge_values.rows(signature, Literal(None, returns))


def difference(rows: pa.RecordBatch, on_device: Evaluate, on_host: Evaluate) -> str | None:
    """The first row whose results differ, as a reason against the GPU; None if none does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs = list(zip(on_device(rows), on_host(rows), strict=True))
    except Exception as error:
        return f"it raises {type(error).__name__} for edge values"
    for found, wanted in pairs:
        values = zip(found.to_pylist(), wanted.to_pylist(), strict=True)
        tolerance = TOLERANCE.get(str(wanted.type), 0.0)
        for number, (own, expected) in enumerate(values):
            if not _same(own, expected, tolerance):
                arguments = ", ".join(repr(column[number].as_py()) for column in rows.columns)
                return f"the GPU's result differs for ({arguments})"
    return None


def _same(own: Any, expected: Any, tolerance: float) -> bool:
    if tolerance and own is not None and expected is not None:
        if math.isnan(own) or math.isnan(expected):
            return math.isnan(own) and math.isnan(expected)
        return math.isclose(own, expected, rel_tol=tolerance, abs_tol=SMALLEST)
    return bool(own == expected)
