"""Checks of this machine for Broadhead: one finding for each subject, with its remedy."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from broadhead.jar import COMPILED_FOR, LaunchError, Spark, find_jar, find_java, find_spark
from broadhead.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

_PROBE = "import sys, pyarrow; print(sys.version.split()[0], pyarrow.__version__)"
_CUDF_PROBE = """
import cuda.bindings.runtime, cupy, rmm, pylibcudf
from importlib.metadata import packages_distributions, version
print(version(packages_distributions()["pylibcudf"][0]))
"""
_LOCAL_MEMORY = "org.apache.spark.sql.broadhead.memory.LocalMemory"
_MINIMUM_PYARROW = 23
_PROBE_SECONDS = 60


class Status(StrEnum):
    """The status of a subject: `none` is an absence that causes no problem."""

    OK = "ok"
    NONE = "none"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding about one subject, and its remedy if there is a problem."""

    matter: str
    status: Status
    found: str
    remedy: str = ""


def examine() -> list[Finding]:
    """Give the findings, in the order of their dependencies."""
    findings = [
        Finding("Broadhead", Status.OK, VERSION),
        _python(),
        _pyarrow(),
        _executor_python(),
        _java(),
        _spark(),
        _jar(),
    ]
    if works(findings):
        findings.append(_memory())
    return findings + _gpu()


def works(findings: list[Finding]) -> bool:
    """Give whether the plugin can work: all requirements are fulfilled."""
    return all(finding.status is not Status.FAIL for finding in findings)


def _python() -> Finding:
    return Finding("Python", Status.OK, f"{sys.version.split()[0]} ({sys.executable})")


def _pyarrow() -> Finding:
    remedy = f"pip install 'pyarrow>={_MINIMUM_PYARROW}'"
    try:
        version = importlib.metadata.version("pyarrow")
    except importlib.metadata.PackageNotFoundError:
        return Finding("pyarrow", Status.FAIL, "not installed", remedy)
    if _is_too_old(version):
        return Finding("pyarrow", Status.FAIL, version, remedy)
    return Finding("pyarrow", Status.OK, version)


def _is_too_old(pyarrow: str) -> bool:
    return int(pyarrow.split(".")[0]) < _MINIMUM_PYARROW


def _executor_python() -> Finding:
    """Find whether the executors' Python has pyarrow, if it is not this one."""
    matter = "executor Python"
    named = os.environ.get("PYSPARK_PYTHON")
    if not named:
        note = f"PYSPARK_PYTHON is not set; broadhead's commands set it to {sys.executable}"
        return Finding(matter, Status.OK, note)
    requirement = f"'pyarrow>={_MINIMUM_PYARROW}'"
    install = f"{named} -m pip install {requirement}, or set PYSPARK_PYTHON={sys.executable}"
    try:
        probe = _run([named, "-c", _PROBE])
    except OSError as error:
        remedy = "set PYSPARK_PYTHON to a Python with pyarrow, or unset it"
        return Finding(matter, Status.FAIL, f"cannot run {named}: {error.strerror}", remedy)
    if probe.returncode != 0:
        last = (probe.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding(matter, Status.FAIL, f"{named}: {last}", install)
    python, arrow = probe.stdout.split()
    found = f"{named}: Python {python}, pyarrow {arrow}"
    if _is_too_old(arrow):
        return Finding(matter, Status.FAIL, found, install)
    return Finding(matter, Status.OK, found)


def _java() -> Finding:
    def find() -> str:
        java, version = find_java(_installed_spark())
        return f"{version} ({java})"

    return _attempt("Java", find)


def _installed_spark() -> Spark | None:
    try:
        return find_spark()
    except LaunchError:
        # its own finding says so
        return None


def _spark() -> Finding:
    def find() -> str:
        spark = find_spark()
        if spark.minor not in COMPILED_FOR:
            message = (
                f"Spark {spark.version} ({spark.home}) is not supported; "
                f"install pyspark {', '.join(COMPILED_FOR)}"
            )
            raise LaunchError(message)
        return f"{spark.version} with Scala {spark.scala} ({spark.home})"

    return _attempt("Spark", find)


def _jar() -> Finding:
    def find() -> str:
        jar = find_jar(find_spark())
        return f"{jar.path} (for Spark {jar.spark}, Scala {jar.scala})"

    return _attempt("jar", find)


def _memory() -> Finding:
    """Find what the workers of a local application would have, started with this host's files."""
    spark = find_spark()
    program = ["--master", "local[*]", "--class", _LOCAL_MEMORY, str(find_jar(spark).path)]
    asked = _run([str(spark.home / "bin" / "spark-submit"), *program])
    if asked.returncode != 0:
        last = (asked.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding("memory", Status.WARN, f"spark-submit cannot tell it: {last}")
    memory = json.loads(asked.stdout)
    found = (
        f"a local application's workers have {_size(memory['workers'])} for {memory['tasks']} "
        f"tasks at the same time, of {_size(memory['all'])} with a heap of "
        f"{_size(memory['heap'])} (spark.driver.memory, spark.broadhead.memory)"
    )
    return Finding("memory", Status.OK, found)


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"


def _attempt(matter: str, find: Callable[[], str]) -> Finding:
    try:
        return Finding(matter, Status.OK, find())
    except LaunchError as error:
        found, _, remedy = str(error).partition("; ")
        return Finding(matter, Status.FAIL, found, remedy)


def _gpu() -> list[Finding]:
    """Find the GPU, its driver and cuDF; without a GPU, queries run on Arrow."""
    query = ["--query-gpu=index,uuid,name,memory.total,driver_version", "--format=csv,noheader"]
    program = shutil.which("nvidia-smi")
    listed = _run([program, *query]) if program else None
    if listed is None or listed.returncode != 0 or not listed.stdout.strip():
        note = "no NVIDIA GPU here: queries run on Arrow"
        return [Finding("GPU", Status.NONE, note)]
    devices = [_Device(*line.split(", ")) for line in listed.stdout.strip().splitlines()]
    driver = devices[0].driver
    return [_visible(devices), Finding("GPU driver", Status.OK, driver), _cudf(driver)]


@dataclass(frozen=True, slots=True)
class _Device:
    """A GPU of this host, as nvidia-smi lists it."""

    index: str
    uuid: str
    name: str
    memory: str
    driver: str

    def is_named(self, entry: str) -> bool:
        """Whether an entry of CUDA_VISIBLE_DEVICES means this GPU."""
        return entry == self.index or (entry.startswith("GPU-") and self.uuid.startswith(entry))


def _visible(devices: list[_Device]) -> Finding:
    """Find the GPUs that processes of this environment see, which local mode uses."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = _names(devices)
    # nvidia-smi does not list the parts of GPUs (MIG) among its GPUs
    if chosen is None or "MIG-" in chosen:
        return Finding("GPU", Status.OK, names)
    entries = [entry.strip() for entry in chosen.split(",")]
    seen = [device for device in devices if any(map(device.is_named, entries))]
    if not seen:
        found = f"CUDA_VISIBLE_DEVICES={chosen} leaves none of {names}: queries run on Arrow"
        return Finding("GPU", Status.WARN, found, "unset it, or name indices or UUIDs of these")
    return Finding("GPU", Status.OK, f"{_names(seen)} (CUDA_VISIBLE_DEVICES={chosen})")


def _names(devices: list[_Device]) -> str:
    return "; ".join(
        f"{device.index}: {device.name}, {device.memory}, {device.uuid}" for device in devices
    )


def _cudf(driver: str) -> Finding:
    probe = _run([sys.executable, "-P", "-c", _CUDF_PROBE])
    if probe.returncode == 0:
        return Finding("cuDF", Status.OK, probe.stdout.strip())
    # CUDA 13 starts with driver 580: docs.nvidia.com/cuda/cuda-toolkit-release-notes
    extra = "cuda13" if int(driver.split(".")[0]) >= 580 else "cuda12"
    last = (probe.stderr.strip().splitlines() or ["no message"])[-1]
    return Finding("cuDF", Status.WARN, last, f"pip install 'broadhead[{extra}]' to use the GPU")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=_PROBE_SECONDS
    )
