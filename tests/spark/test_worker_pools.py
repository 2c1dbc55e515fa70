"""Pools of Spark's Python workers that are kept while they have no task."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark.answers import Answers

NO_NAME = ""
"""The name of pools that use no GPU."""


def worker(spark: SparkSession) -> int:
    """The process of the worker that runs a fragment with a function."""
    from pyspark.sql.functions import udf

    process = udf(lambda _id: os.getpid(), returnType="long")
    return int(spark.range(0, 1, 1, 1).select(process("id").alias("p")).collect()[0].p)


def test_pools_are_found_by_their_name(answers: Answers) -> None:
    pools = answers.session._jvm.org.apache.spark.sql.broadhead.gpu.WorkerPools
    worker(answers.session)
    assert pools.canTouch()
    assert pools.touch(NO_NAME) > 0
    assert pools.touch("of nobody") == 0


@pytest.mark.nightly  # takes longer than Spark's limit
def test_pools_that_are_touched_keep_their_workers(answers: Answers) -> None:
    spark = answers.session
    pools = spark._jvm.org.apache.spark.sql.broadhead.gpu.WorkerPools
    before = worker(spark)
    for _ in range(5):
        time.sleep(18)
        pools.touch(NO_NAME)
    assert worker(spark) == before
    time.sleep(80)
    assert worker(spark) != before
