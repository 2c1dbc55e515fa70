"""The errors that the engine raises on purpose."""

from __future__ import annotations


class BroadheadError(Exception):
    """Base of all errors that the engine raises on purpose."""


class Unsupported(BroadheadError):
    """A plan, type or value that this engine does not run; the original plan must run instead."""


class WouldRaise(BroadheadError):
    """A row on which Spark may raise.

    `condition` is Spark's error condition, such as `DIVIDE_BY_ZERO`. The JVM replays the original
    plan to find Spark's own error.
    """

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


class EngineLimit(BroadheadError):
    """Data beyond what the engine can represent exactly; the original plan answers instead."""


class Stopped(BroadheadError):
    """The reader of the fragment wants no more batches."""
