"""What the user of a platform chooses: the device, the size of an executor, where things are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from broadhead.jar import LaunchError
from broadhead.version import VERSION

GPU = "gpu"
CPU = "cpu"
ARCHIVES = (".tar.gz", ".tgz", ".zip")
ENVIRONMENT = "environment"
"""The folder into which an executor unpacks the archive with its Python."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The values in the files of a platform; a platform has its own defaults.

    Attributes
    ----------
    device
        `gpu`, or `cpu` for hosts without a GPU.
    cuda
        The CUDA version of the GPU driver, 12 or 13.
    cores
        Cores of an executor.
    memory
        GiB of an executor in all: the heap of the JVM, and the Python workers beside it.
    executors
        Largest number of executors of an application.
    jar
        Where Spark finds the plugin's jar.
    python
        The Python of the executors: an archive, which Spark sends to them, or an interpreter.
    packages
        What the user's functions import, beside pandas: requirements for that Python.
    local_dir
        The executors' folder on a local disk, for shuffles and spilled rows.
    image
        The container image.
    gpu_discovery
        The script on the hosts that finds their GPUs.
    settings
        More keys of Spark; they replace those of the platform.
    """

    device: str = GPU
    cuda: int = 13
    cores: int = 8
    memory: int = 24
    executors: int = 8
    jar: str = ""
    python: str = ""
    packages: tuple[str, ...] = ()
    local_dir: str = ""
    image: str = ""
    gpu_discovery: str = ""
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def on_gpu(self) -> bool:
        """Whether each executor has a GPU."""
        return self.device == GPU

    @property
    def extra(self) -> str:
        """The extra of the distribution for the executors' device, or nothing."""
        return f"cuda{self.cuda}" if self.on_gpu else ""

    @property
    def heap(self) -> int:
        """GiB of the JVM's heap: a third. Rows are in the memory of the Python workers."""
        return max(1, self.memory // 3)

    @property
    def overhead(self) -> int:
        """GiB beside the heap, for the Python workers and for shared memory."""
        return max(1, self.memory - self.heap)

    @property
    def requirement(self) -> str:
        """The distribution with all that the engine needs of the executors' Python."""
        return _requirement(self.extra)

    @property
    def requirement_with_pandas(self) -> str:
        """That of a Python for nothing but Spark, whose pandas functions need pandas."""
        return _requirement("pandas", self.extra)

    @property
    def folder(self) -> str:
        """Where the jar lies, and with it the scripts that the platform runs on its hosts."""
        return self.jar.rpartition("/")[0]

    @property
    def packed_python(self) -> bool:
        """Whether the executors' Python comes in an archive."""
        return self.python.endswith(ARCHIVES)

    @property
    def interpreter(self) -> str:
        """The path of the executors' Python, as an executor sees it."""
        return f"./{ENVIRONMENT}/bin/python" if self.packed_python else self.python

    @property
    def task_gpus(self) -> str:
        """The share of a GPU for one task, with which as many tasks run as there are cores."""
        return f"{int(10000 / self.cores) / 10000:g}"


def _requirement(*extras: str) -> str:
    named = ",".join(filter(None, extras))
    return f"broadhead{f'[{named}]' if named else ''}=={VERSION}"


def gibibytes(text: str) -> int:
    """Give the GiB of a size such as 24g."""
    found = re.fullmatch(r"(\d+)(?:g|gb|gib)?", text.strip(), re.IGNORECASE)
    if found is None or int(found[1]) < 2:
        message = f"memory {text!r} is not a whole number of at least 2 GiB; write it like 24g"
        raise LaunchError(message)
    return int(found[1])
