"""Finds the Pythons that a release serves, and has uv fetch those that are not here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13")
UV = str(Path(sys.executable).with_name("uv"))

_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def find(version: str) -> Path | None:
    """Give an interpreter of a minor version, fetched if need be; None if there is none."""
    return _installed(version) or _fetched(version)


def _installed(version: str) -> Path | None:
    candidates = [shutil.which(f"python{version}"), sys.executable]
    # The programs that pyenv puts on the PATH start only the versions that its user has chosen.
    pyenv = Path.home() / ".pyenv" / "versions"
    candidates += [str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python3"))]
    return next((Path(each) for each in candidates if each and _is(each, version)), None)


def _is(python: str, version: str) -> bool:
    done = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def _fetched(version: str) -> Path | None:
    subprocess.run([UV, "python", "install", "--quiet", version], check=False)
    found = subprocess.run(
        [UV, "python", "find", "--managed-python", version],
        capture_output=True,
        text=True,
        check=False,
    )
    return Path(found.stdout.strip()) if found.returncode == 0 else None


if __name__ == "__main__":
    for wanted in PYTHONS:
        python = find(wanted)
        if python is None:
            sys.exit(f"There is no Python {wanted} here and uv cannot fetch it: install one")
        print(python)
