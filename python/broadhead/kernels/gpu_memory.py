"""The memory that tasks use on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.plan.nodes import DEFAULT_BATCH_ROWS

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

only_process = False
"""Whether all tasks of the executor are threads of this process, which keeps freed memory."""

MOST_BATCH_ROWS = 1 << 24
"""0.5 to 1 GiB for the rows of a typical query; a call takes tens of microseconds at any size."""

MOST_ROWS_OF_NUMBERS = 1 << 26
"""For fragments without texts, whose columns may have 2 GiB: fewer calls read files faster."""

PROCESS_TASKS = 4
"""Tasks of one process at the same time, on one stream each: more wait for each other."""

OPERATOR_FACTOR = 8
"""Tasks on a GPU are larger: factor for the memory of their operators relative to the CPU."""

_ROW_BYTES = 448
"""Estimated memory for a row while an operator works on it, including all intermediate data."""

_KEPT_PART = 2
"""Part of the memory for shuffled rows that no running task has."""

_FILES_PART = 4
"""Part of the memory for column chunks of files."""

_ROWS_OF_BITS = 1024

_OPERATORS = 4
"""Number of operators of one task that keep rows at the same time."""


def batch_rows(settings: Settings, memory: int) -> int:
    """Rows of a batch, if the tasks on a device may use `memory` bytes of it together."""
    if settings.batch_rows < DEFAULT_BATCH_ROWS:
        return settings.batch_rows
    rows = _of_a_task(settings, memory) // streams(settings) // _ROW_BYTES
    most = MOST_BATCH_ROWS if settings.has_texts or not only_process else MOST_ROWS_OF_NUMBERS
    # Slices of larger batches start at whole words of their bitmaps.
    whole = rows // _ROWS_OF_BITS * _ROWS_OF_BITS
    return max(DEFAULT_BATCH_ROWS, min(most // settings.gpu_memory_parts, whole))


def operator_memory(settings: Settings, memory: int) -> int:
    """Memory limit of each operator, if the tasks may use `memory` bytes together."""
    most = OPERATOR_FACTOR * settings.operator_memory
    return min(most, _of_a_task(settings, memory) // _OPERATORS)


def kept_memory(memory: int) -> int:
    """Bytes of shuffled rows that stay on the device, if it has `memory` bytes for all tasks."""
    return memory // _KEPT_PART


def files_memory(memory: int) -> int:
    """Bytes of column chunks that stay on the device, if it has `memory` bytes for all tasks.

    Only one process of all tasks keeps them: they are given up as soon as memory is short.
    """
    return memory // _FILES_PART if only_process else 0


def _of_a_task(settings: Settings, memory: int) -> int:
    return memory // (tasks_at_once(settings) * settings.gpu_memory_parts)


def tasks_at_once(settings: Settings) -> int:
    """Number of tasks that compute at the same time."""
    tasks = max(settings.gpu_concurrent_tasks, 1)
    return min(tasks, PROCESS_TASKS) if only_process else tasks


def streams(settings: Settings) -> int:
    """Number of streams of a task that reads files."""
    return 1 if only_process else max(settings.gpu_streams, 1)
