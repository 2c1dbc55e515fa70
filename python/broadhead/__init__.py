"""Broadhead: unchanged PySpark and Spark SQL programs on GPUs, and on Arrow without a GPU."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from broadhead.explanation import Explanation, explain
    from broadhead.jar import LaunchError, jar_path
    from broadhead.launch import configure, session
    from broadhead.profiling import QueryProfile, profile
    from broadhead.version import VERSION as __version__

if archive := getattr(__spec__.loader, "archive", None):
    # The plugin's jar has the modules compiled for several Pythons; others compile the sources.
    __path__.insert(0, f"{archive}/bytecode/{sys.implementation.cache_tag}/broadhead")

__all__ = [
    "Explanation",
    "LaunchError",
    "QueryProfile",
    "__version__",
    "configure",
    "explain",
    "jar_path",
    "profile",
    "session",
]

_HOME = {
    "Explanation": ("broadhead.explanation", "Explanation"),
    "LaunchError": ("broadhead.jar", "LaunchError"),
    "QueryProfile": ("broadhead.profiling", "QueryProfile"),
    "__version__": ("broadhead.version", "VERSION"),
    "configure": ("broadhead.launch", "configure"),
    "explain": ("broadhead.explanation", "explain"),
    "jar_path": ("broadhead.jar", "jar_path"),
    "load_ipython_extension": ("broadhead.notebook.extension", "load_ipython_extension"),
    "profile": ("broadhead.profiling", "profile"),
    "session": ("broadhead.launch", "session"),
    "unload_ipython_extension": ("broadhead.notebook.extension", "unload_ipython_extension"),
}


def __getattr__(name: str) -> Any:
    """Give a public name, importing its module on first use: `import broadhead` stays quick."""
    if name not in _HOME:
        message = f"module 'broadhead' has no attribute {name!r}"
        raise AttributeError(message)
    module, attribute = _HOME[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Give the public names, imported or not."""
    return sorted({*globals(), *__all__})
