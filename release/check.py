"""Installs the wheel and the source distribution in clean environments and runs a query in each.

Every Spark and every Python is in at least one environment, with `--all` each with each. Run it
with `make release-check`, which builds both distributions. It fails if a Python is missing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from interpreters import PYTHONS, UV, find

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[1]
SPARKS = ("3.5", "4.0", "4.1", "4.2", "4.3")
DISTRIBUTIONS = {"wheel": "broadhead-*.whl", "source": "broadhead-*.tar.gz"}


@dataclass(frozen=True, slots=True)
class Combination:
    """What one environment has."""

    spark: str
    python: str
    distribution: str

    def __str__(self) -> str:
        return f"Spark {self.spark}, Python {self.python}, {self.distribution}"


def combinations(
    sparks: Sequence[str], pythons: Sequence[str], *, every: bool = False
) -> list[Combination]:
    """Give the combinations to run: all, or as many as it takes to have each value in one."""
    values = (sparks, pythons, tuple(DISTRIBUTIONS))
    if every:
        return [Combination(*each) for each in product(*values)]
    longest = max(map(len, values))
    return [Combination(*(v[row % len(v)] for v in values)) for row in range(longest)]


def check(combination: Combination, python: Path, distribution: Path) -> None:
    """Install a distribution and run `broadhead doctor` and a query; raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="broadhead-release-") as folder:
        programs = Path(folder, "venv", "bin")
        # In the cache of the user, each Spark for each Python would stay with 1.8 GB.
        cache = ("--cache-dir", Path(folder, "cache"))
        _run(UV, "venv", "--quiet", *cache, "--python", python, programs.parent)
        _run(
            *(UV, "pip", "install", "--quiet", *cache, "--python", programs / "python"),
            *(f"broadhead[spark] @ file://{distribution}", f"pyspark=={combination.spark}.*"),
        )
        _run(programs / "broadhead", "doctor")
        _run(programs / "broadhead", "run", ROOT / "docker" / "first_query.py")
        jar = _run(programs / "broadhead", "jar").strip()
        _run(programs / "python", "-I", ROOT / "release" / "byte_code.py", jar)


def _run(*command: str | Path) -> str:
    """Give the output of a command that sees nothing of this tree's Python and of other Sparks."""
    hidden = ("PYTHON", "PYSPARK", "SPARK", "VIRTUAL_ENV")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(hidden)}
    return subprocess.run(
        [str(word) for word in command],
        env=kept | {"SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def run_all(
    chosen: Sequence[Combination],
    distributions: dict[str, Path],
    find_python: Callable[[str], Path | None] = find,
) -> bool:
    """Run the combinations, say of each by name how it went, and tell whether all went well."""
    pythons = {version: find_python(version) for version in {each.python for each in chosen}}
    outcomes = []
    for combination in chosen:
        python = pythons[combination.python]
        started = time.monotonic()
        if python is None:
            outcome = "NOT RUN: this Python is not here, and uv cannot fetch it"
        else:
            outcome = _outcome(combination, python, distributions[combination.distribution])
        outcomes.append(outcome)
        print(f"{combination}: {outcome}, {time.monotonic() - started:.0f} s", flush=True)
    passed = outcomes.count("passed")
    print(f"{passed} passed, {len(outcomes) - passed} failed")
    return passed == len(outcomes)


def _outcome(combination: Combination, python: Path, distribution: Path) -> str:
    try:
        check(combination, python, distribution)
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        return f"FAILED: {command}\n{error.stdout}\n{error.stderr}"
    return "passed"


def built(folder: Path) -> dict[str, Path]:
    """Give the distributions in a folder; there must be one of each."""
    found = {kind: sorted(folder.glob(pattern)) for kind, pattern in DISTRIBUTIONS.items()}
    for kind, paths in found.items():
        if len(paths) != 1:
            sys.exit(f"{folder} has {len(paths)} files {DISTRIBUTIONS[kind]}, not one: make wheel")
    return {kind: path.resolve() for kind, (path,) in found.items()}


def main() -> int:
    """Check what the command line asks for; gives 1 if a combination failed or was not run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="what `make wheel` built")
    parser.add_argument("--all", action="store_true", help="each Spark with each Python, twice")
    parser.add_argument("--spark", choices=SPARKS, action="append", help="only these (default all)")
    parser.add_argument("--python", choices=PYTHONS, action="append", help="only these")
    arguments = parser.parse_args()
    sparks, pythons = arguments.spark or SPARKS, arguments.python or PYTHONS
    chosen = combinations(sparks, pythons, every=arguments.all)
    return 0 if run_all(chosen, built(arguments.dist)) else 1


if __name__ == "__main__":
    sys.exit(main())
