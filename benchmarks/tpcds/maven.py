"""Jars of Maven Central that the suite needs: fetched once, checked, not kept in git."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from broadhead.demo.data import DataError


@dataclass(frozen=True)
class Artifact:
    """A jar of Maven Central: its coordinates, the name of its file and its SHA-256."""

    coordinates: str
    file: str
    sha256: str


GENERATOR = Artifact(
    "io.trino.tpcds:tpcds:1.4:jar:jar-with-dependencies",
    "tpcds-1.4-jar-with-dependencies.jar",
    "cb68479c04339e3b838a154aa0e1e72692215825f0f3ec85bfa3579484b9ab51",
)
SPARK_TESTS = Artifact(
    "org.apache.spark:spark-sql_2.13:4.1.3:jar:tests",
    "spark-sql_2.13-4.1.3-tests.jar",
    "e3302864af66035c2dd22fda0d980e72a456ef39531bcbcaef320886622bac14",
)


def fetch(artifact: Artifact, folder: Path) -> Path:
    """The jar in `folder`; Maven copies it there if it is not. Another content is an error."""
    target = folder / artifact.file
    if not target.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as partial:
            _copy(artifact, Path(partial))
            _check(artifact, Path(partial) / artifact.file)
            (Path(partial) / artifact.file).replace(target)
    _check(artifact, target)
    return target


def _copy(artifact: Artifact, folder: Path) -> None:
    if shutil.which("mvn") is None:
        raise DataError(f"mvn is not on the PATH: Maven fetches {artifact.coordinates}")
    command = ["mvn", "--batch-mode", "--quiet", "dependency:copy"]
    command += [f"-Dartifact={artifact.coordinates}", f"-DoutputDirectory={folder}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or not (folder / artifact.file).is_file():
        raise DataError(f"{' '.join(command)} failed with {done.returncode}: {done.stdout.strip()}")


def _check(artifact: Artifact, path: Path) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != artifact.sha256:
        raise DataError(
            f"{path} is not the file of {artifact.coordinates}: its SHA-256 is {found} "
            f"instead of {artifact.sha256}"
        )
