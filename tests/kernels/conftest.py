"""The kernels under test."""

from __future__ import annotations

import os
from typing import Literal, cast

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.kernels.load import load_kernels
from broadhead.plan.nodes import Settings


@pytest.fixture(scope="session")
def k() -> Kernels:
    """What the option `--kernels` names, set up."""
    name = cast("Literal['arrow', 'cudf']", os.environ["BROADHEAD_TEST_KERNELS"])
    kernels = load_kernels(name)
    kernels.device.activate(Settings())
    return kernels
