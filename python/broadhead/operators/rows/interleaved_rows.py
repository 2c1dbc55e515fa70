"""Several rows of each row, one row's after the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.types import LONG

if TYPE_CHECKING:
    from broadhead.operators.context import Run


def interleaved(length: int, count: int, run: Run) -> tuple[Any, Any]:
    """Each row id `count` times, and the positions of its values in the concatenated columns."""
    columns, arithmetic = run.kernels.columns, run.kernels.arithmetic
    sequence = columns.sequence(length * count)
    every = columns.scalar(count, LONG)
    rows = arithmetic.quotient(sequence, every)
    offsets = arithmetic.multiply(
        arithmetic.remainder(sequence, every), columns.scalar(length, LONG)
    )
    return rows, arithmetic.add(offsets, rows)
