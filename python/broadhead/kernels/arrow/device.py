"""Where the kernels run: this process's CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.plan.nodes import Settings

name = "cpu"


def activate(settings: Settings) -> None:
    """Nothing to set up."""


def batch_rows(settings: Settings) -> int:
    """How many rows an operator should put in a batch, at most."""
    return settings.batch_rows


def operator_memory(settings: Settings) -> int:
    """How many bytes each operator of a task may keep."""
    return settings.operator_memory


def synchronize() -> None:
    """Returns at once: pyarrow's work is done when its calls return."""
