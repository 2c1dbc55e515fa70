"""The CPU."""

from __future__ import annotations

from typing import Any

name = "cpu"


def batch_rows(settings: Any) -> int:
    """How many rows an operator should put in a batch, at most."""
    return int(settings.batch_rows)


def synchronize() -> None:
    """Returns at once: pyarrow's work is done when its calls return."""


def activate(settings: Settings) -> None:
    """Nothing to set up."""
