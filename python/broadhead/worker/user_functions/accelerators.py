"""The libraries that make the user's functions run on a GPU: cuDF for pandas, and others.

They replace pandas, scikit-learn and NetworkX in this process, for code that imports
these from then on. A library that is not installed is left out, and the worker's log says so once.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

PANDAS = "pandas"
AUTO = "auto"
NONE = "none"


def chosen(setting: str) -> tuple[str, ...]:
    """The libraries that `spark.broadhead.python.accelerate` names, by the names of the originals.

    `auto` means all of them.
    """
    if setting == AUTO:
        return tuple(_INSTALLERS)
    return () if setting == NONE else tuple(name.strip() for name in setting.split(","))


@cache
def install(setting: str) -> bool:
    """Switch the chosen libraries on; returns whether cuDF replaces pandas.

    The GPU's memory must be set up before, since cuDF would otherwise reserve most of it.
    """
    for name in chosen(setting):
        package, switch_on = _INSTALLERS[name]
        if find_spec(package) is None:
            _log(f"{package} is not installed: {name} in Python functions runs on the CPU")
            continue
        try:
            switch_on()
        except Exception as error:
            _log(f"{package} cannot be used, so {name} runs on the CPU: {error}")
    return pandas_is_accelerated()


def pandas_is_accelerated() -> bool:
    """Whether cuDF replaces pandas in this process."""
    found = sys.modules.get("cudf.pandas")
    return bool(found is not None and found.LOADED)


def real_pandas() -> AbstractContextManager[Any]:
    """While it is entered, this thread gets pandas itself."""
    if not pandas_is_accelerated():
        return nullcontext()
    from cudf.pandas.module_accelerator import disable_module_accelerator

    disabled: AbstractContextManager[Any] = disable_module_accelerator()
    return disabled


def _pandas() -> None:
    import cudf.pandas
    from cudf.pandas.module_accelerator import ModuleAccelerator

    cudf.pandas.install()
    (accelerator,) = (p for p in sys.meta_path if isinstance(p, ModuleAccelerator))
    accelerator._denylist = (*accelerator._denylist, *_own_paths())


_READS_ANNOTATIONS = "typehints"
"""The module of PySpark that compares annotations of the user's modules with pandas' types."""


def _own_paths() -> list[str]:
    """Whose code gets pandas itself: this package, Arrow, and PySpark's conversions."""
    import pyarrow
    import pyspark.sql.pandas

    import broadhead

    found = [path for package in (broadhead, pyarrow) for path in package.__path__]
    for folder in pyspark.sql.pandas.__path__:
        found += [
            f"{folder}/{module.name}" + ("" if module.ispkg else ".py")
            for module in iter_modules([folder])
            if module.name != _READS_ANNOTATIONS
        ]
    return found


def _scikit_learn() -> None:
    import cuml.accel

    cuml.accel.install()


def _networkx() -> None:
    os.environ.setdefault("NX_CUGRAPH_AUTOCONFIG", "True")
    # nx-cugraph depends on it
    networkx = import_module("networkx")
    networkx.config.backend_priority.algos = ["cugraph"]


_INSTALLERS: dict[str, tuple[str, Callable[[], None]]] = {
    PANDAS: ("cudf", _pandas),
    "scikit-learn": ("cuml", _scikit_learn),
    "networkx": ("nx_cugraph", _networkx),
}


def _log(message: str) -> None:
    sys.stderr.write(f"Broadhead: {message}\n")
