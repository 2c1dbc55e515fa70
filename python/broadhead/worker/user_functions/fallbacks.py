"""Which calls of pandas run on the CPU although pandas is accelerated, and how long they take."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Fallbacks:
    """Totals of this process: nanoseconds, bytes of columns copied, and calls by name and line."""

    nanoseconds: int = 0
    bytes_copied: int = 0
    calls: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Nanoseconds by the name of the call and the line that makes it."""


FOUND = Fallbacks()
_depth = threading.local()


@cache
def watch() -> None:
    """Count from now on. cudf.pandas must be installed."""
    from cudf.pandas import fast_slow_proxy

    fast_slow_proxy._fast_slow_function_call = _timed(fast_slow_proxy._fast_slow_function_call)
    for proxy in set(fast_slow_proxy.get_final_type_map().values()):
        if proxy.__name__ in {"Series", "DataFrame"}:
            for name in ("_fsproxy_fast_to_slow", "_fsproxy_slow_to_fast"):
                type.__setattr__(proxy, name, _measured(getattr(proxy, name)))


def _timed(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    def timed(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        start = time.perf_counter_ns()
        outermost = not getattr(_depth, "inside", False)
        _depth.inside = True
        try:
            result, fast = call(function, *arguments, **keywords)
        finally:
            if outermost:
                _depth.inside = False
        if not fast and outermost:
            spent = time.perf_counter_ns() - start
            FOUND.nanoseconds += spent
            FOUND.calls[f"{_name(arguments)} {_line()}"] += spent
        return result, fast

    return timed


def _name(arguments: tuple[Any, ...]) -> str:
    """What is called: the first argument after the state of transfers."""
    called = arguments[1] if len(arguments) > 1 else None
    slow = getattr(called, "_fsproxy_slow", called)
    return str(getattr(slow, "__qualname__", None) or getattr(slow, "__name__", "a call"))


def _line() -> str:
    """The line outside of the libraries that made the call."""
    frame = sys._getframe(2)
    while frame.f_back is not None and _is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return f"({Path(frame.f_code.co_filename).name}:{frame.f_lineno})"


@cache
def _is_library(file: str) -> bool:
    return file.startswith(("<frozen", *_library_paths()))


LIBRARIES = ("broadhead", "cudf", "nvtx", "pandas")


@cache
def _library_paths() -> tuple[str, ...]:
    found = (sys.modules[name] for name in LIBRARIES if name in sys.modules)
    return tuple(f"{path}{os.sep}" for module in found for path in module.__path__)


def _measured(transfer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @wraps(transfer)
    def measured(proxy: Any) -> Any:
        before = proxy._fsproxy_wrapped
        after = transfer(proxy)
        if after is not before:
            used = before.memory_usage()
            FOUND.bytes_copied += int(getattr(used, "sum", lambda: used)())
        return after

    return measured
