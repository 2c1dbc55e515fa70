"""Reports the capabilities of this interpreter as one line of JSON.

The plugin runs this source with the executors' Python, before the package itself can be imported
there: it must not import any module of Broadhead, and must run on any Python 3.
"""

from __future__ import annotations

import sys

# Pythons before 3.11 ignore PYTHONSAFEPATH: modules of the current directory must not run.
sys.path[:] = [entry for entry in sys.path if entry]

import ctypes  # noqa: E402
import importlib.metadata  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import platform  # noqa: E402


def report() -> dict[str, object]:
    """Give versions of the worker's requirements, null if missing, and the usable GPUs."""
    found: dict[str, object] = {"executable": sys.executable, "python": platform.python_version()}
    problems: dict[str, str] = {}
    for name in ("pyarrow", "numpy"):
        found[name] = None
        try:
            found[name] = importlib.import_module(name).__version__
        except Exception as error:
            problems[name] = "{}: {}".format(type(error).__name__, error)  # noqa: UP032
    found["problems"] = problems
    found["broadhead"] = _installed_version()
    found["gpus"] = _gpus()
    found["cudf"] = _cudf_version() if found["gpus"] else None
    found["driver"] = _driver_version() if found["gpus"] else None
    return found


def _installed_version() -> str | None:
    """Give the version of an installed Broadhead, however it was installed."""
    if importlib.util.find_spec("broadhead") is None:
        return None
    try:
        return str(importlib.import_module("broadhead").__version__)
    except Exception as error:
        return "{}: {}".format(type(error).__name__, error)  # noqa: UP032


def _gpus() -> list[str]:
    """Give the names of the NVIDIA devices, without making a context on any of them."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return []
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return []
    try:
        importlib.import_module("pylibcudf")
    except Exception:
        return []
    return [_gpu_name(driver, ordinal) for ordinal in range(count.value)]


def _gpu_name(driver: ctypes.CDLL, ordinal: int) -> str:
    device = ctypes.c_int()
    name = ctypes.create_string_buffer(100)
    if driver.cuDeviceGet(ctypes.byref(device), ordinal):
        return "unknown"
    driver.cuDeviceGetName(name, len(name), device)
    return name.value.decode("utf-8", "replace")


def _cudf_version() -> str | None:
    """Give the version of the loaded cuDF; some releases of pylibcudf do not have it."""
    version = getattr(importlib.import_module("pylibcudf"), "__version__", None)
    for name in ("pylibcudf-cu13", "pylibcudf-cu12", "pylibcudf", "cudf-cu13", "cudf-cu12", "cudf"):
        if version is not None:
            break
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None if version is None else str(version)


def _driver_version() -> str | None:
    """Give the version of NVIDIA's driver, as its management library reports it."""
    version = ctypes.create_string_buffer(80)
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    if library.nvmlInit_v2():
        return None
    failed = library.nvmlSystemGetDriverVersion(version, len(version))
    library.nvmlShutdown()
    return None if failed else version.value.decode("utf-8", "replace")


if __name__ == "__main__":
    print(json.dumps(report()))
