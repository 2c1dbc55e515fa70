"""Memory that a worker keeps between batches."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import numpy as np
from broadhead.worker.task import make

if sys.argv[1] == "worker":
    make("{}")
arrays = [np.ones(500_000) for number in range(8)]
del arrays
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for turn in range(50):
    arrays = [np.ones(500_000) for number in range(8)]
    del arrays
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")
def test_freed_arrays_are_used_again_without_new_pages() -> None:
    """Eight arrays of 4 MB have about 8,000 pages."""
    plain, worker = (
        int(subprocess.check_output([sys.executable, "-c", FAULTS, kind]))
        for kind in ("plain", "worker")
    )
    assert worker < 10_000 < 200_000 < plain
