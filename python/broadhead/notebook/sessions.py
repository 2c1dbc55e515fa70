"""The Spark session of a notebook: of this process, or of Spark Connect."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def active_session(namespace: Mapping[str, Any]) -> SparkSession | None:
    """Give the session that a notebook uses.

    PySpark is not imported for this: `findspark.init()` may come later in the notebook.
    """
    named: SparkSession | None = namespace.get("spark")
    if hasattr(named, "createDataFrame"):
        return named
    connected = connect_session(namespace)
    if connected is not None or spark_context() is None:
        return connected
    active: SparkSession | None = sys.modules["pyspark.sql"].SparkSession.getActiveSession()
    return active


def spark_context() -> SparkContext | None:
    """Give the SparkContext of this process, once it is started."""
    # Another thread may be importing PySpark, or starting the context.
    kind = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    context: SparkContext | None = getattr(kind, "_active_spark_context", None)
    return context if getattr(context, "_jsc", None) is not None else None


def connect_session(namespace: Mapping[str, Any]) -> SparkSession | None:
    """Give the running session of Spark Connect among a notebook's variables, or the active one."""
    kind = getattr(sys.modules.get("pyspark.sql.connect.session"), "SparkSession", None)
    if kind is None:
        return None
    sessions = [value for value in list(namespace.values()) if isinstance(value, kind)]
    running = [session for session in sessions if not session.is_stopped]
    found: SparkSession | None = running[-1] if running else kind.getActiveSession()
    return found
