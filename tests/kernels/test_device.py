"""Where the kernels run."""

from __future__ import annotations

import os

from broadhead.kernels.interface import Kernels
from broadhead.plan.nodes import Settings


def test_name(k: Kernels) -> None:
    expected = {"arrow": "cpu", "cudf": "gpu"}[os.environ["BROADHEAD_TEST_KERNELS"]]
    assert k.device.name == expected


def test_it_may_be_set_up_again(k: Kernels) -> None:
    k.device.activate(Settings())
    k.device.activate(Settings(batch_rows=7))
    k.device.synchronize()


def test_batches_follow_the_setting(k: Kernels) -> None:
    assert k.device.batch_rows(Settings(batch_rows=7)) == 7
    assert k.device.batch_rows(Settings()) > 1000
