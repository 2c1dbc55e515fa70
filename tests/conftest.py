"""Options of the whole suite: which kernels and which device the tests run on."""

from __future__ import annotations

import os

import pytest

import class_archive

SHORT_LIVED = " ".join(
    (
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        # What the small defaults of these hold is soon full, and then collected again and again.
        "-XX:MetaspaceSize=256m",
        "-XX:ReservedCodeCacheSize=240m",
    )
)
"""Options of JVMs whose queries are all new: to optimize their code costs more than it gives."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kernels` for tests of the engine, `--device` for tests that run in Spark."""
    parser.addoption(
        "--kernels",
        choices=("arrow", "cudf"),
        default=os.environ.get("BROADHEAD_TEST_KERNELS", "arrow"),
        help="kernels under test; cudf needs a GPU host",
    )
    parser.addoption(
        "--device",
        choices=("auto", "gpu", "cpu"),
        default=os.environ.get("BROADHEAD_TEST_DEVICE", "cpu"),
        help="spark.broadhead.device in tests that run in Spark",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Hand the choices to modules that are imported before any fixture runs."""
    os.environ["BROADHEAD_TEST_KERNELS"] = config.getoption("--kernels")
    os.environ["BROADHEAD_TEST_DEVICE"] = config.getoption("--device")
    # Spark's scripts give these to every driver that a test starts, however it starts it.
    os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{SHORT_LIVED} {class_archive.options()}")
