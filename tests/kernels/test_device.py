"""Where the kernels run."""

from __future__ import annotations

import os

from broadhead.kernels.interface import Kernels
from broadhead.plan.nodes import Settings
from broadhead.types import LONG
from kernels.physical import array, values


def test_name(k: Kernels) -> None:
    expected = {"arrow": "cpu", "cudf": "gpu"}[os.environ["BROADHEAD_TEST_KERNELS"]]
    assert k.device.name == expected


def test_what_is_there_outlives_another_setup(k: Kernels) -> None:
    before = array(k, [1, None, 6], LONG)
    rows = k.device.batch_rows(Settings())
    k.device.activate(Settings(batch_rows=7))
    after = k.bits.not_(before)
    k.device.synchronize()
    assert values(k, before, LONG) == [1, None, 6]
    assert values(k, after, LONG) == [-2, None, -7]
    assert k.device.batch_rows(Settings()) == rows
    assert not k.device.is_lost()


def test_batches_follow_the_setting(k: Kernels) -> None:
    assert k.device.batch_rows(Settings(batch_rows=7)) == 7
    assert k.device.batch_rows(Settings()) > 1000
