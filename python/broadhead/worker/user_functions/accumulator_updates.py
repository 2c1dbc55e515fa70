"""The updates of the user's accumulators that PySpark's worker sends when a task ends."""

from __future__ import annotations

import sys


def discard() -> None:
    """Send none of the updates so far.

    The task has failed: either Spark's operators call the functions again, or nobody does, and
    PySpark's own worker would send nothing either.
    """
    accumulators = sys.modules.get("pyspark.accumulators")
    if accumulators is not None:
        accumulators._accumulatorRegistry.clear()
