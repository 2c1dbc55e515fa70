"""The device of the kernels: this process's CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

name = "cpu"

KEPT_BYTES = 256 << 20
"""Only small tasks of a process on a GPU run on the CPU."""


def activate(settings: Settings) -> None:
    """No setup is needed."""


def batch_rows(settings: Settings) -> int:
    """Greatest number of rows of a batch."""
    return settings.batch_rows


def operator_memory(settings: Settings) -> int:
    """Memory limit of each operator of a task, in bytes."""
    return settings.operator_memory


def kept_memory(settings: Settings) -> int:
    """Bytes of shuffled rows that the process may keep."""
    return KEPT_BYTES


def release() -> None:
    """Nothing is kept for later."""


def synchronize() -> None:
    """Returns at once: pyarrow's calls are synchronous."""


def is_lost() -> bool:
    """False: a CPU that fails ends the process."""
    return False
