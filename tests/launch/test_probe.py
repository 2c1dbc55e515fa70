"""The report of an interpreter: what a library does not tell is left out, and never an error."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError
from types import ModuleType

import pytest

from broadhead.worker import probe


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
