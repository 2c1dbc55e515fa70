"""Settings of the interpreter that functions may change, kept apart from the engine's.

A function may set numpy's error handling, the context of decimals or the filters of warnings. In
Spark's workers only functions run. Here the engine runs in the same thread: after
`np.seterr(all="raise")` it would fail where it computes an infinity.
"""

from __future__ import annotations

import decimal
import warnings
from typing import Any

import numpy as np


class InterpreterState:
    """The two states of a task: that of its functions, and that of the engine."""

    def __init__(self) -> None:
        self._filters: warnings.catch_warnings[Any] | None = None
        self._own_filters = list(warnings.filters)
        self._engine = _State.now()
        self._functions = self._engine

    def to_functions(self) -> None:
        """Functions run from now on, with their settings as they were when they last ran."""
        self._engine = _State.now()
        if self._filters is not None:
            self._filters.__exit__(None, None, None)
            self._filters = None
        self._functions.restore()

    def to_engine(self) -> None:
        """The engine runs from now on, with its own settings; without warnings if they differ."""
        self._functions = _State.now()
        self._engine.restore()
        if list(warnings.filters) != self._own_filters:
            self._filters = warnings.catch_warnings()
            self._filters.__enter__()
            warnings.simplefilter("ignore")


class _State:
    """What can be read and set at once."""

    def __init__(self, errors: Any, decimals: decimal.Context) -> None:
        self._errors = errors
        self._decimals = decimals

    @classmethod
    def now(cls) -> _State:
        return cls(np.geterr(), decimal.getcontext())

    def restore(self) -> None:
        np.seterr(**self._errors)
        decimal.setcontext(self._decimals)
