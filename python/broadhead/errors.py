"""The errors that the engine raises on purpose, and the one for the user's own errors."""

from __future__ import annotations


class BroadheadError(Exception):
    """Base of all errors that the engine raises on purpose."""


class Unsupported(BroadheadError):
    """A plan, type or value that this engine does not support; the original plan must run."""


class WouldRaise(BroadheadError):
    """A row on which Spark may raise.

    `condition` is Spark's error condition, such as `DIVIDE_BY_ZERO`. The JVM replays the original
    plan to find Spark's own error.
    """

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


class EngineLimit(BroadheadError):
    """Data that the engine cannot represent exactly; the original plan runs instead."""


class HostNeeded(EngineLimit):
    """User functions that need their rows in the host's memory, in a run on a GPU.

    The task starts again on the CPU, if nothing of it has been sent.
    """


class Stopped(BroadheadError):
    """The reader of the fragment wants no more batches."""


class DeviceLostError(Exception):
    """A GPU whose context answers nothing any more in this process.

    It is not a `BroadheadError`: no data are the cause. The worker reports it and ends.
    """


class UserError(Exception):
    """An exception that the user's own Python code raised: `original`.

    It is not a `BroadheadError`, and nothing on the way to the JVM handles it, even if `original`
    is a `MemoryError` or an `OSError`: it is never replayed and becomes Spark's `PythonException`.
    """

    def __init__(self, original: BaseException) -> None:
        super().__init__(type(original).__name__)
        self.original = original


class ShuffleBlockError(BroadheadError):
    """A shuffle block that is missing or damaged: its map task must run again.

    `path` is None for a block that came from another host.
    """

    def __init__(self, path: str | None, offset: int, reason: str) -> None:
        location = (
            f"{path} at {offset}" if path is not None else f"a remote host's bytes at {offset}"
        )
        super().__init__(f"shuffle block of {location}: {reason}")
        self.path = path
        self.offset = offset
