"""Stand-ins for the GPUs of a host, in the Python of its executors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "GPU-00000000-0000-0000-0000-000000000001"
SECOND = "GPU-00000000-0000-0000-0000-000000000002"

DRIVER = """
import ctypes, os, pathlib

exists = pathlib.Path.exists
pathlib.Path.exists = lambda path: str(path) == "/dev/nvidiactl" or exists(path)

def visible():
    # The last digits of the UUIDs; as for CUDA, a wrong entry hides those that follow it.
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = []
    for entry in ["0", "1"] if listed is None else listed.split(","):
        if entry in ("0", "1"):
            found.append(int(entry) + 1)
        elif entry.startswith("GPU-") and int(entry[-1]) in (1, 2):
            found.append(int(entry[-1]))
        elif entry.startswith("MIG-"):
            return [1]
        else:
            break
    return found

class Driver:
    def __getattr__(self, name):
        return lambda *arguments: 0

    def cuDeviceGetCount(self, count):
        count._obj.value = len(visible())
        return 0

    def cuDeviceGet(self, device, ordinal):
        device._obj.value = visible()[ordinal]
        return 0

    def cuDeviceGetName(self, name, length, device):
        name.value = b"a GPU"
        return 0

    def cuDeviceGetUuid(self, found, device):
        found.raw = bytes(15) + bytes([device.value])
        return 0

    cuDeviceGetUuid_v2 = cuDeviceGetUuid

load = ctypes.CDLL
ctypes.CDLL = lambda name, *a, **k: Driver() if name == "libcuda.so.1" else load(name, *a, **k)
"""
"""Two GPUs that NVIDIA's driver finds."""

RUNTIME = """
from sitecustomize import visible

def cudaGetDeviceCount():
    return 0, len(visible())
"""

LIBRARY = """
import json, os, time
from pathlib import Path

if "BROADHEAD_WORKERS" in os.environ:
    parent = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
    names = ("CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY")
    seen = {"executor": parent} | {name: os.environ.get(name) for name in names}
    with open(Path(__file__).parent / "workers", "a") as file:
        print(json.dumps(seen), file=file)
    # so that no worker does the work of all
    time.sleep(1)
"""
"""In place of pylibcudf: writes down what the workers of the GPUs see."""


def install(folder: Path) -> Path:
    """Write the modules into a folder, and give the file of what workers see."""
    (folder / "cuda" / "bindings").mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(DRIVER)
    (folder / "cuda" / "bindings" / "runtime.py").write_text(RUNTIME)
    (folder / "pylibcudf").mkdir()
    (folder / "pylibcudf" / "__init__.py").write_text(LIBRARY)
    return folder / "pylibcudf" / "workers"
