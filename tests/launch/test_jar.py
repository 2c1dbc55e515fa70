"""A checkout's jar is one of the sources that lie there: workers run the package in the jar."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from launch.programs import ROOT, SECONDS

FIND = "from broadhead.jar import jar_path; print(jar_path())"
FUNCTION = "python/broadhead/functions/bits.py"
NODE = "jvm/src/main/scala/org/apache/spark/sql/broadhead/operators/BroadheadUnion.scala"


@pytest.fixture(scope="module")
def checkout(jar: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with its jar."""
    root = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__", "jars", "target", "dist", "test")
    for name in ("jvm", "python"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "jvm" / "dist").mkdir()
    shutil.copy(jar, root / "jvm" / "dist")
    return root


def run_python(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "python")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_the_jar_of_the_same_sources_is_found(checkout) -> None:
    found = run_python(checkout, "-c", FIND)
    assert Path(found.stdout.strip()).parent == checkout / "jvm" / "dist", found.stderr


@pytest.mark.parametrize("name", [FUNCTION, NODE, "jvm/compile.py"])
def test_the_jar_of_edited_sources_is_refused(checkout, name) -> None:
    before = (checkout / name).read_bytes()
    (checkout / name).write_bytes(before + b"\n")
    try:
        found = run_python(checkout, "-c", FIND)
    finally:
        (checkout / name).write_bytes(before)
    assert found.returncode == 1
    assert "the jar is older than python/broadhead or jvm/src/main: make jar" in found.stderr


def test_the_jar_of_a_removed_module_is_refused(checkout) -> None:
    content = (checkout / FUNCTION).read_bytes()
    (checkout / FUNCTION).unlink()
    try:
        found = run_python(checkout, "-c", FIND)
    finally:
        (checkout / FUNCTION).write_bytes(content)
    assert "the jar is older than" in found.stderr


def test_a_jar_of_the_same_sources_is_not_made_again(checkout, jar) -> None:
    made = checkout / "jvm" / "dist" / Path(jar).name
    before = made.stat().st_mtime_ns
    outcome = run_python(checkout, str(checkout / "jvm" / "compile.py"))
    assert outcome.stdout.strip() == str(made), outcome.stderr
    assert made.stat().st_mtime_ns == before
    assert not (checkout / "jvm" / "target").exists()
