"""Runs a PySpark program like `python program.py`, in this process, with Broadhead in Spark."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING

from broadhead.jar import LaunchError
from broadhead.launch import merge_into_contexts

if TYPE_CHECKING:
    from collections.abc import Sequence


def run_script(program: str, arguments: Sequence[str]) -> None:
    """Run a program as `__main__`; its exceptions, including SystemExit, are passed on.

    Its directory becomes the first entry of `sys.path`, as for `python program.py`.
    """
    path = Path(program)
    try:
        code = compile(path.read_bytes(), program, "exec", dont_inherit=True)
    except OSError as error:
        message = f"cannot read {program}: {error.strerror}; give the path of a Python program"
        raise LaunchError(message) from error
    merge_into_contexts()
    main = ModuleType("__main__")
    main.__file__ = program
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.argv = [program, *arguments]
    if not sys.flags.safe_path:
        sys.path.insert(0, str(path.resolve().parent))
    sys.excepthook = _hide_own_frames
    exec(code, main.__dict__)


def _hide_own_frames(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an error as if the program had been started alone."""
    program = sys.modules["__main__"].__dict__
    first = trace
    while first is not None and first.tb_frame.f_globals is not program:
        first = first.tb_next
    shown = first or trace
    sys.__excepthook__(kind, error.with_traceback(shown), shown)
