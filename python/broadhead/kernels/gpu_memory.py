"""How much of a GPU's memory tasks use: as much as pays, and less on a small device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.plan.nodes import DEFAULT_BATCH_ROWS

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

MOST_BATCH_ROWS = 1 << 24
"""0.5 to 1 GiB for the rows of a usual query; a call costs tens of microseconds at any size."""

OPERATOR_FACTOR = 8
"""Tasks on a GPU are larger: their operators may keep this many times what they may on a CPU."""

_ROW_BYTES = 448
"""What a row takes while an operator works on it, with all that the operator makes of it."""

_ROWS_OF_BITS = 1024

_OPERATORS = 4
"""Operators of one task that keep rows at the same time."""


def batch_rows(settings: Settings, memory: int) -> int:
    """Rows of a batch, where the tasks on a device may take `memory` bytes of it together."""
    if settings.batch_rows < DEFAULT_BATCH_ROWS:
        return settings.batch_rows
    rows = _of_a_task(settings, memory) // max(settings.gpu_streams, 1) // _ROW_BYTES
    # Batches cut from larger ones start at whole words of their bits.
    whole = rows // _ROWS_OF_BITS * _ROWS_OF_BITS
    return max(DEFAULT_BATCH_ROWS, min(MOST_BATCH_ROWS, whole))


def operator_memory(settings: Settings, memory: int) -> int:
    """Bytes that each operator of a task may keep, where the tasks may take `memory` together."""
    most = OPERATOR_FACTOR * settings.operator_memory
    return min(most, _of_a_task(settings, memory) // _OPERATORS)


def _of_a_task(settings: Settings, memory: int) -> int:
    return memory // max(settings.gpu_concurrent_tasks, 1)
