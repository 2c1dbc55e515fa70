"""The Spark application that the tests of one process share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import broadhead

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local_session() -> SparkSession:
    """A new session with Broadhead; the first call starts the application.

    BROADHEAD_TEST_DEVICE (`auto`, `gpu`, `cpu`) says where fragments run: `cpu` where it is not
    set.
    """
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
    )
    session = broadhead.configure(builder).getOrCreate().newSession()
    session.conf.set("spark.broadhead.device", os.environ.get("BROADHEAD_TEST_DEVICE", "cpu"))
    return session
