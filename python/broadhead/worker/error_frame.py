"""The frame that reports the error of a task to the JVM."""

from __future__ import annotations

import json
import os
import traceback
from typing import TYPE_CHECKING, Any, Literal

from broadhead.errors import BroadheadError, ShuffleBlockError, UserError
from broadhead.worker.frames import Frame

if TYPE_CHECKING:
    from types import TracebackType


ENGINE = "broadhead."


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
    """The text that PySpark's own worker sends for an exception, under the same settings.

    They are `spark.sql.execution.pyspark.udf.hideTraceback.enabled`, `simplifiedTraceback.enabled`
    and `tracebackWithLocals.enabled`, which arrive as variables of the worker's environment.
    """
    if os.environ.get("SPARK_HIDE_TRACEBACK"):
        return "".join(traceback.format_exception_only(error))
    calls = _without_engine(error.__traceback__)
    if os.environ.get("SPARK_SIMPLIFIED_TRACEBACK") and calls is not None:
        from pyspark.util import try_simplify_traceback

        simplified = try_simplify_traceback(calls)
        if simplified is not None:
            error.__cause__ = None
            calls = simplified
    return "".join(
        traceback.TracebackException(
            type(error),
            error,
            calls,
            compact=True,
            capture_locals=bool(os.environ.get("SPARK_TRACEBACK_WITH_LOCALS")),
        ).format()
    )


def _without_engine(calls: TracebackType | None) -> TracebackType | None:
    """A traceback from where PySpark's code begins, as in its own worker."""
    found = calls
    while found is not None and found.tb_frame.f_globals.get("__name__", "").startswith(ENGINE):
        found = found.tb_next
    return found if found is not None else calls
