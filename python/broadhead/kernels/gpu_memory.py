"""The memory that tasks use on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.plan.nodes import DEFAULT_BATCH_ROWS

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

only_process = False
"""Whether no other process of the executor uses the GPU, so that this one keeps freed memory."""

MOST_BATCH_ROWS = 1 << 24
"""0.5 to 1 GiB for the rows of a typical query; a call takes tens of microseconds at any size."""

OPERATOR_FACTOR = 8
"""Tasks on a GPU are larger: factor for the memory of their operators relative to the CPU."""

_ROW_BYTES = 448
"""Estimated memory for a row while an operator works on it, including all intermediate data."""

_ROWS_OF_BITS = 1024

_OPERATORS = 4
"""Number of operators of one task that keep rows at the same time."""


def batch_rows(settings: Settings, memory: int) -> int:
    """Rows of a batch, if the tasks on a device may use `memory` bytes of it together."""
    if settings.batch_rows < DEFAULT_BATCH_ROWS:
        return settings.batch_rows
    rows = _of_a_task(settings, memory) // max(settings.gpu_streams, 1) // _ROW_BYTES
    # Slices of larger batches start at whole words of their bitmaps.
    whole = rows // _ROWS_OF_BITS * _ROWS_OF_BITS
    return max(DEFAULT_BATCH_ROWS, min(MOST_BATCH_ROWS, whole))


def operator_memory(settings: Settings, memory: int) -> int:
    """Memory limit of each operator, if the tasks may use `memory` bytes together."""
    most = OPERATOR_FACTOR * settings.operator_memory
    return min(most, _of_a_task(settings, memory) // _OPERATORS)


def _of_a_task(settings: Settings, memory: int) -> int:
    return memory // max(settings.gpu_concurrent_tasks, 1)
