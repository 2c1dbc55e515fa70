"""The jar of the tests' own file system and functions, compiled where it is missing."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCES = sorted((Path(__file__).parent / "store").glob("*.scala"))


def store_jar() -> Path:
    """The jar for this interpreter's Spark; one process compiles it, others wait."""
    made = made_jar()
    with Path(sys.prefix, "broadhead-store.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _compile(_spark_jars(), made)
    return made


def made_jar() -> Path:
    """Where the jar is or will be; a host without the JDK that compiles it can be given a copy."""
    content = b"".join(source.read_bytes() for source in SOURCES)
    digest = hashlib.sha256(content + str(_spark_jars()).encode()).hexdigest()[:16]
    return Path(sys.prefix) / f"broadhead-store-{digest}.jar"


def _spark_jars() -> Path:
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "jars"


def _compile(jars: Path, made: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["java", "-cp", f"{jars}/*", "scala.tools.nsc.Main", "-usejavacp"]
        subprocess.run([*command, "-release", "17", "-d", folder, *map(str, SOURCES)], check=True)
        partial = made.with_suffix(".partial")
        with zipfile.ZipFile(partial, "w") as jar:
            for path in sorted(Path(folder).rglob("*.class")):
                jar.write(path, path.relative_to(folder))
        partial.rename(made)
