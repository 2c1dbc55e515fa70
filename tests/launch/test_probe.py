"""The report of an interpreter: what a library does not tell is left out; which GPUs it uses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from broadhead.worker import probe
from gpus_stand_in import FIRST, SECOND, install


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A pylibcudf that does not have its version, as that of 26.10, on a host with a GPU."""
    found = ModuleType("pylibcudf")
    monkeypatch.setitem(sys.modules, "pylibcudf", found)
    monkeypatch.setattr(probe, "_gpus", lambda _: (["a GPU"], None))
    return found


def versions(monkeypatch: pytest.MonkeyPatch, installed: dict[str, str]) -> None:
    def version(name: str) -> str:
        if name not in installed:
            raise PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(probe.importlib.metadata, "version", version)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("installed", "found"),
    [({}, None), ({"cudf-cu12": "26.8"}, "26.8"), ({"pylibcudf-cu13": "26.10.2"}, "26.10.2")],
)
def test_the_version_of_a_package(
    monkeypatch: pytest.MonkeyPatch, installed: dict[str, str], found: str | None
) -> None:
    versions(monkeypatch, installed)
    report = probe.report([])
    assert report["cudf"] == found
    assert report["gpus"] == ["a GPU"]


def test_the_version_of_the_module(library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    versions(monkeypatch, {"pylibcudf-cu13": "another"})
    library.__version__ = "26.6.1"
    assert probe.report([])["cudf"] == "26.6.1"


@pytest.mark.parametrize(
    ("addresses", "visible", "devices"),
    [
        (["1"], None, ["1"]),
        (["GPU-5f", "MIG-7a"], None, ["GPU-5f", "MIG-7a"]),
        (["0", "0"], None, ["0"]),
        # the user has left some of the host's devices
        (["3"], "2,3", ["3"]),
        (["1"], "4,5", ["5"]),
        (["1", "0"], "GPU-a, GPU-b", ["GPU-b", "GPU-a"]),
        (["GPU-b"], "GPU-a,GPU-b", ["GPU-b"]),
        (["GPU-c"], "GPU-a,GPU-b", ["GPU-a", "GPU-b"]),
        (["0"], "", []),
        ([], None, []),
    ],
)
def test_the_devices_of_addresses(
    addresses: list[str], visible: str | None, devices: list[str]
) -> None:
    assert [device for _, device in probe.chosen_devices(addresses, visible)] == devices


@pytest.fixture
def two_gpus(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The report of a host with two GPUs, for addresses and with variables."""
    install(tmp_path)

    def ask(*addresses: str, **variables: str) -> dict[str, Any]:
        kept = {name: value for name, value in os.environ.items() if "CUDA" not in name}
        found = subprocess.run(
            [sys.executable, probe.__file__, *addresses],
            env=kept | {"PYTHONPATH": str(tmp_path)} | variables,
            check=True,
            capture_output=True,
            text=True,
        )
        report = json.loads(found.stdout)
        assert isinstance(report, dict)
        return report

    return ask


def devices(report: dict[str, Any]) -> dict[str, str]:
    return {gpu["address"]: gpu["device"] for gpu in report["gpus"]}


def test_the_uuids_of_gpus(two_gpus: Callable[..., dict[str, Any]]) -> None:
    """Numbers depend on who counts; a UUID is the same for CUDA, nvidia-smi and the service."""
    assert devices(two_gpus()) == {"0": FIRST, "1": SECOND}
    assert devices(two_gpus("1")) == {"1": SECOND}
    assert devices(two_gpus(SECOND, FIRST)) == {SECOND: SECOND, FIRST: FIRST}
    assert devices(two_gpus(CUDA_VISIBLE_DEVICES="1")) == {"0": SECOND}
    assert devices(two_gpus("0", CUDA_VISIBLE_DEVICES="1")) == {"0": SECOND}
    assert devices(two_gpus("0", CUDA_VISIBLE_DEVICES="")) == {}


def test_parts_of_a_gpu(two_gpus: Callable[..., dict[str, Any]]) -> None:
    """CUDA shows one to a process, whatever it is called."""
    parts = ["MIG-1", "MIG-2"]
    assert devices(two_gpus(*parts)) == dict(zip(parts, parts, strict=True))


def test_an_address_that_is_none(two_gpus: Callable[..., dict[str, Any]]) -> None:
    report = two_gpus("0", "7")
    assert devices(report) == {"0": FIRST}
    assert "the GPU '7'" in report["gpu_problem"]
    assert "CUDA_VISIBLE_DEVICES=0,7" in report["gpu_problem"]
    assert "discoveryScript" in report["gpu_problem"]
    assert two_gpus("1")["gpu_problem"] is None
