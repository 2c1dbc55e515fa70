"""The kernels under test."""

from __future__ import annotations

import os

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.kernels.load import load_kernels
from broadhead.plan.nodes import Settings


@pytest.fixture(scope="session")
def k() -> Kernels:
    """What the option `--kernels` names, set up."""
    kernels = load_kernels(os.environ["BROADHEAD_TEST_KERNELS"])  # type: ignore[arg-type]
    kernels.device.activate(Settings())
    return kernels
