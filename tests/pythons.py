"""Interpreters for executors and clients that have less than the Python of the tests."""

from __future__ import annotations

import sysconfig
import venv
from pathlib import Path


def python_without_broadhead(folder: Path) -> Path:
    """A Python in `folder` with all packages of this one but Broadhead."""
    python = python_without_packages(folder)
    packages = next(folder.glob("lib/python3*/site-packages"))
    # A .pth file that stands in a folder named by another one is not read: no editable install.
    (packages / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def python_without_packages(folder: Path) -> Path:
    """A Python in `folder` that has only the standard library."""
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"
