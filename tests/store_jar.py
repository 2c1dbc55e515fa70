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
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    jars = Path(spec.origin).parent / "jars"
    content = b"".join(source.read_bytes() for source in SOURCES)
    digest = hashlib.sha256(content + str(jars).encode()).hexdigest()[:16]
    made = Path(sys.prefix) / f"broadhead-store-{digest}.jar"
    with Path(sys.prefix, "broadhead-store.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _compile(jars, made)
    return made


def _compile(jars: Path, made: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["java", "-cp", f"{jars}/*", "scala.tools.nsc.Main", "-usejavacp"]
        subprocess.run([*command, "-release", "17", "-d", folder, *map(str, SOURCES)], check=True)
        partial = made.with_suffix(".partial")
        with zipfile.ZipFile(partial, "w") as jar:
            for path in sorted(Path(folder).rglob("*.class")):
                jar.write(path, path.relative_to(folder))
        partial.rename(made)
