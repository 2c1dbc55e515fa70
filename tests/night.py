"""Parameters of tests that run at night only; others of the same test stand for them by day."""

from __future__ import annotations

from typing import Any

import pytest


def at_night(*values: Any) -> list[Any]:
    """The values as parameters of their own, marked as nightly."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]
