"""Names of PySpark whose modules differ between its versions."""

from __future__ import annotations

from typing import Any

try:
    from pyspark.util import PythonEvalType
except ImportError:  # Spark 3.5
    from pyspark.rdd import PythonEvalType

__all__ = ["PythonEvalType", "load"]


def load(command: Any) -> tuple[Any, Any]:
    """Load a function and its return type from the bytes of a worker's command, of any version."""
    try:
        from pyspark.worker_util import pickleSer, read_command
    except ImportError:  # Spark 3.5
        from pyspark.worker import pickleSer, read_command
    function, return_type = read_command(pickleSer, command)
    return function, return_type
