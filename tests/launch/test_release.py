"""`make release-check`: which combinations it runs and names; the byte code in the jar."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path

import pytest

from broadhead.jar import COMPILED_FOR
from launch.programs import ROOT

RELEASE = ROOT / "release"


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(RELEASE))
    return importlib.import_module("check")


def test_every_version_is_in_a_combination(check) -> None:
    chosen = check.combinations(check.SPARKS, check.PYTHONS)
    assert {each.spark for each in chosen} == COMPILED_FOR.keys()
    assert {each.python for each in chosen} == set(check.PYTHONS)
    assert {each.distribution for each in chosen} == check.DISTRIBUTIONS.keys()
    every = check.combinations(check.SPARKS, check.PYTHONS, every=True)
    assert {(each.spark, each.python, each.distribution) for each in every} == set(
        product(check.SPARKS, check.PYTHONS, check.DISTRIBUTIONS)
    )


def test_a_python_that_is_missing_is_named_and_fails_the_check(check, capsys) -> None:
    missing = check.Combination("4.1", "3.13", "wheel")
    assert not check.run_all([missing], {}, find_python=lambda _: None)
    assert "Spark 4.1, Python 3.13, wheel: NOT RUN" in capsys.readouterr().out


def test_a_command_that_fails_is_shown(check, capsys, tmp_path: Path) -> None:
    no_wheel = tmp_path / "broadhead-0-py3-none-any.whl"
    no_wheel.write_bytes(b"")
    one = check.Combination("4.1", "3.11", "wheel")
    assert not check.run_all([one], {"wheel": no_wheel}, find_python=lambda _: Path(sys.executable))
    out = capsys.readouterr().out
    assert "Spark 4.1, Python 3.11, wheel: FAILED:" in out
    assert "0 passed, 1 failed" in out


def modules_without_byte_code(jar: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(RELEASE / "byte_code.py"), str(jar)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_workers_find_byte_code_in_the_jar(jar: str, tmp_path: Path) -> None:
    done = modules_without_byte_code(jar, tmp_path)
    assert done.returncode == 0, done.stderr


def test_other_pythons_compile_the_sources(jar: str, tmp_path: Path) -> None:
    sources = tmp_path / "sources.jar"
    with zipfile.ZipFile(jar) as full, zipfile.ZipFile(sources, "w") as other:
        for name in full.namelist():
            if name.startswith("broadhead/"):
                other.writestr(name, full.read(name))
    done = modules_without_byte_code(sources, tmp_path)
    assert done.returncode == 1
    assert "modules have no byte code for this Python" in done.stderr


def test_a_traceback_from_the_jar_shows_the_lines(jar: str, tmp_path: Path) -> None:
    program = (
        f"import sys, traceback; sys.path.insert(0, {jar!r})\n"
        "from broadhead.plan.decode import decode_fragment\n"
        "try:\n"
        "    decode_fragment('{}')\n"
        "except KeyError:\n"
        "    traceback.print_exc()\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    number, line = re.findall(
        r'File "broadhead/plan/decode.py", line (\d+).*\n +(.+)', done.stderr
    )[-1]
    sources = (ROOT / "python" / "broadhead" / "plan" / "decode.py").read_text().splitlines()
    assert sources[int(number) - 1].strip() == line


def test_the_workflows_call_verbs_of_the_makefile() -> None:
    verbs = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        text = path.read_text()
        called = set(re.findall(r"run: make ([a-z-]+)", text))
        called |= {v for each in re.findall(r"verb: \[(.+)\]", text) for v in each.split(", ")}
        assert called
        assert called <= verbs, f"{path.name} calls what the Makefile lacks: {called - verbs}"
