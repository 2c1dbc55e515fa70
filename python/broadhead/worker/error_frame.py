"""The frame that reports the error of a task to the JVM."""

from __future__ import annotations

import json
import os
import traceback
from typing import Any, Literal

from broadhead.errors import BroadheadError, ShuffleBlockError, UserError
from broadhead.worker.frames import Frame


def error_frame(error: Exception) -> Frame:
    """Frame `E`."""
    return Frame("E", json.dumps(_message(error)).encode())


def _message(error: Exception) -> dict[str, Any]:
    if isinstance(error, UserError):
        # the text is the user's: converting a hostile exception to a string may raise
        name = type(error.original).__name__
        return {"kind": "user", "reason": name, "traceback": _users_traceback(error.original)}
    message: dict[str, Any] = {
        "kind": _kind(error),
        "reason": f"{type(error).__name__}: {error}",
        "traceback": "".join(traceback.format_exception(error)),
    }
    if isinstance(error, ShuffleBlockError):
        message |= {"path": error.path, "offset": error.offset}
    return message


def _kind(error: Exception) -> Literal["replay", "error", "shuffle"]:
    """`replay` for causes in the data or the files, `error` for a defect.

    `shuffle` for a shuffle block that its map task must write again.
    """
    import pyarrow as pa

    if isinstance(error, ShuffleBlockError):
        return "shuffle"
    expected = (
        BroadheadError,
        OSError,
        MemoryError,
        pa.ArrowInvalid,
        pa.ArrowMemoryError,
        pa.ArrowIndexError,  # corrupt pages: an index outside of their dictionary
    )
    return "replay" if isinstance(error, expected) else "error"


def _users_traceback(error: BaseException) -> str:
    """The text that PySpark's own worker sends for an exception, under the same two settings.

    They are `spark.sql.execution.pyspark.udf.hideTraceback.enabled` and
    `...simplifiedTraceback.enabled`, which arrive as variables of the worker's environment.
    """
    if os.environ.get("SPARK_HIDE_TRACEBACK"):
        return "".join(traceback.format_exception_only(error))
    if os.environ.get("SPARK_SIMPLIFIED_TRACEBACK") and error.__traceback__ is not None:
        from pyspark.util import try_simplify_traceback

        simplified = try_simplify_traceback(error.__traceback__)
        if simplified is not None:
            error.__cause__ = None
            return "".join(traceback.format_exception(type(error), error, simplified))
    return "".join(traceback.format_exception(error))
