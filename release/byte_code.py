"""Fails if this Python compiles modules of a jar, whose byte code it should find: JAR."""

from __future__ import annotations

import builtins
import sys
from typing import Any

compiled: set[str] = set()
_compile = builtins.compile


def _recording_compile(source: Any, filename: Any, *arguments: Any, **options: Any) -> Any:
    compiled.add(str(filename))
    return _compile(source, filename, *arguments, **options)


def compiled_modules(jar: str) -> set[str]:
    """Import all functions and operators from a jar, and give the modules without byte code."""
    sys.path.insert(0, jar)
    builtins.compile = _recording_compile
    try:
        import broadhead.capabilities
        import broadhead.engine

        broadhead.capabilities.text()
    finally:
        builtins.compile = _compile
    if not str(broadhead.__file__).startswith(jar):
        sys.exit(f"{broadhead.__file__} was imported, not the package in {jar}")
    # The module that finds the byte code of the others has none.
    return {name for name in compiled if name.startswith(jar)} - {f"{jar}/broadhead/__init__.py"}


if __name__ == "__main__":
    found = compiled_modules(sys.argv[1])
    if found:
        sys.exit(f"{len(found)} modules have no byte code for this Python, such as {min(found)}")
