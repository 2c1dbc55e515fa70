"""Reports the capabilities of this interpreter as one line of JSON.

The plugin runs this source with the executors' Python, before the package itself can be imported
there: it must not import any module of Broadhead, and must run on any Python 3. The arguments are
the addresses of the GPUs that Spark has given to the executor; without them it uses all.
"""

from __future__ import annotations

import sys

# Pythons before 3.11 ignore PYTHONSAFEPATH: modules of the current directory must not run.
sys.path[:] = [entry for entry in sys.path if entry]

import ctypes  # noqa: E402
import importlib.metadata  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import platform  # noqa: E402
import uuid  # noqa: E402

VISIBLE = "CUDA_VISIBLE_DEVICES"


def report(addresses: list[str]) -> dict[str, object]:
    """Give versions of the worker's requirements, null if missing, and the executor's GPUs."""
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
    found["gpus"], found["gpu_problem"] = _gpus(addresses)
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


def _gpus(addresses: list[str]) -> tuple[list[dict[str, str]], str | None]:
    """Give name, address and device of each GPU, and what is wrong with an address.

    A device is what a process's CUDA_VISIBLE_DEVICES has to be for this GPU alone. No context is
    made on any of them.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return [], None
    chosen = chosen_devices(addresses, os.environ.get(VISIBLE))
    if addresses:
        if VISIBLE not in os.environ:
            # Addresses that are numbers are those of nvidia-smi. CUDA puts the fastest GPU first.
            os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ[VISIBLE] = ",".join(device for _, device in chosen)
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return [], _unknown(chosen, 0)
    try:
        importlib.import_module("pylibcudf")
    except Exception:
        return [], None
    seen = [_gpu(driver, ordinal) for ordinal in range(count.value)]
    if not addresses:
        return [dict(gpu, address=str(ordinal)) for ordinal, gpu in enumerate(seen)], None
    if seen and any(device.startswith("MIG-") for _, device in chosen):
        # A process sees the first part of a GPU alone, however many are named.
        return [
            {"name": seen[0]["name"], "address": address, "device": device}
            for address, device in chosen
        ], None
    problem = _unknown(chosen, len(seen)) if len(seen) < len(chosen) else None
    return [
        dict(gpu, address=address)
        for (address, _), gpu in zip(chosen, seen)  # noqa: B905
    ], problem


def chosen_devices(addresses: list[str], visible: str | None) -> list[tuple[str, str]]:
    """Give each address with its entry for CUDA_VISIBLE_DEVICES, whose value is `visible`.

    If the variable is set, these are all devices that there are. An address that is in it is that
    one; otherwise a number counts into it. If neither fits, the executor uses all of them.
    """
    unique = list(dict.fromkeys(addresses))
    if visible is None:
        return [(address, address) for address in unique]
    listed = [entry.strip() for entry in visible.split(",") if entry.strip()]
    chosen = []
    for address in unique:
        if address in listed:
            chosen.append((address, address))
        elif address.isdigit() and int(address) < len(listed):
            chosen.append((address, listed[int(address)]))
        else:
            return [(entry, entry) for entry in listed]
    return chosen


def _unknown(chosen: list[tuple[str, str]], found: int) -> str | None:
    """Say which address is wrong: CUDA ignores the first wrong one and all that follow it."""
    if not chosen:
        return None
    problem = (
        "Spark gave this executor the GPU '{}', but CUDA finds none for {}={}. The discovery "
        "script (spark.executor.resource.gpu.discoveryScript, or spark.worker.resource.gpu."
        "discoveryScript of a standalone cluster) has to print indices or UUIDs of `nvidia-smi -L`"
    )
    return problem.format(chosen[found][0], VISIBLE, os.environ.get(VISIBLE))


def _gpu(driver: ctypes.CDLL, ordinal: int) -> dict[str, str]:
    """Give name and device of a GPU: its UUID, since a service for GPUs numbers them anew."""
    device = ctypes.c_int()
    name = ctypes.create_string_buffer(100)
    if driver.cuDeviceGet(ctypes.byref(device), ordinal):
        return {"name": "unknown", "device": _entry(ordinal)}
    driver.cuDeviceGetName(name, len(name), device)
    return {
        "name": name.value.decode("utf-8", "replace"),
        "device": _uuid(driver, device) or _entry(ordinal),
    }


def _uuid(driver: ctypes.CDLL, device: ctypes.c_int) -> str | None:
    """Give the UUID as nvidia-smi prints it; that of a part of a GPU is not that of the GPU."""
    whole, part = ctypes.create_string_buffer(16), ctypes.create_string_buffer(16)
    try:
        if driver.cuDeviceGetUuid(whole, device) or driver.cuDeviceGetUuid_v2(part, device):
            return None
    except AttributeError:
        return None
    kind = "GPU" if whole.raw == part.raw else "MIG"
    return "{}-{}".format(kind, uuid.UUID(bytes=part.raw))  # noqa: UP032


def _entry(ordinal: int) -> str:
    """Give the entry of CUDA_VISIBLE_DEVICES that shows this GPU to this process."""
    listed = os.environ.get(VISIBLE)
    return str(ordinal) if listed is None else listed.split(",")[ordinal].strip()


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
    print(json.dumps(report(sys.argv[1:])))
