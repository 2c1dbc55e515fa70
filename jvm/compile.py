"""Builds the plugin's jar with the Scala compiler that ships inside Spark's own jars.

Run it with the Python whose pyspark (or SPARK_HOME) the jar is to be compiled for.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[1]
PROGRAMS = [ROOT / "jvm" / name for name in ("compile.py", "class_references.py")]
SOURCES = ROOT / "jvm" / "src" / "main"
RESOURCES = ROOT / "jvm" / "src" / "main" / "resources"
PACKAGE = ROOT / "python" / "broadhead"
DIST = ROOT / "jvm" / "dist"
TARGET = ROOT / "jvm" / "target"
BYTE_CODE = "bytecode"
DIGEST = "broadhead/sources.sha256"
MEMBERS = "broadhead/spark-members.txt"
OPTIONS = ("-release", "17", "-deprecation", "-feature", "-unchecked", "-Xlint", "-Werror")

# Made from a hash that is not to be checked, since source and byte code lie in one jar.
_COMPILE = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
sys.exit(not compileall.compile_dir("broadhead", quiet=1, legacy=True, invalidation_mode=mode))
"""

_CACHE_TAG = "import sys; print(sys.implementation.cache_tag)"

# Zip files hold no time before 1980; one fixed time makes equal inputs give equal jars.
_ENTRY_TIME = (1980, 1, 1, 0, 0, 0)


class BuildError(RuntimeError):
    """The jar cannot be built; the message says why and what to do."""


def spark_jars() -> Path:
    """Give the folder of Spark's jars: SPARK_HOME's, else those of the installed pyspark."""
    home = os.environ.get("SPARK_HOME")
    if home is None:
        spec = importlib.util.find_spec("pyspark")
        if spec is None or spec.origin is None:
            message = "pyspark is not installed for this Python; install it with: make setup"
            raise BuildError(message)
        home = str(Path(spec.origin).parent)
    jars = Path(home, "jars")
    if not list(jars.glob("scala-compiler-*.jar")):
        message = f"{jars} has no scala-compiler-*.jar; install a full pyspark with: make setup"
        raise BuildError(message)
    return jars


def source_folders(spark: str, scala: str) -> list[Path]:
    """Give the folders of sources for versions of Spark and Scala: the shared one and their own."""
    family = f"spark-{spark}" if spark.startswith("3.") else f"spark-{spark.split('.')[0]}"
    folders = [SOURCES / name for name in ("scala", family, f"scala-{scala}")]
    missing = [str(folder) for folder in folders if not folder.is_dir()]
    if missing:
        message = f"there are no sources for Spark {spark} with Scala {scala}: {', '.join(missing)}"
        raise BuildError(message)
    return folders


def spark_and_scala(jars: Path) -> tuple[str, str]:
    """Give the minor version of Spark and the version of Scala that the jars are for."""
    for jar in sorted(jars.glob("spark-core_*.jar")):
        named = re.fullmatch(r"spark-core_(\d+\.\d+)-(\d+\.\d+)\..*\.jar", jar.name)
        if named:
            return named[2], named[1]
    message = f"{jars} has no spark-core_*.jar; install a full pyspark with: make setup"
    raise BuildError(message)


def project_version() -> str:
    """Give the version in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "(.+)"$', text, re.MULTILINE)
    if found is None:
        message = "pyproject.toml has no line 'version = \"...\"' under [project]"
        raise BuildError(message)
    return found[1]


def compile_classes(jars: Path, spark: str, scala: str) -> Path:
    """Give the folder of classes for a Spark and a Scala; compile only what is not current."""
    folders = source_folders(spark, scala)
    sources = sorted(path for folder in folders for path in folder.rglob("*.scala"))
    digest = _digest(sources, str(jars), *OPTIONS)
    target = TARGET / f"spark{spark}_{scala}"
    stamp = target / "sources.sha256"
    classes = target / "classes"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return classes
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as temporary:
        _run_compiler(jars, sources, Path(temporary))
        stamp.unlink(missing_ok=True)
        shutil.rmtree(classes, ignore_errors=True)
        shutil.copytree(temporary, classes)
    stamp.write_text(digest, encoding="utf-8")
    return classes


def _digest(files: Iterable[Path], *words: str) -> str:
    """Give a digest of some words, and of the names and contents of files in the checkout."""
    digest = hashlib.sha256("\0".join(words).encode())
    for file in sorted(files):
        digest.update(f"\0{file.relative_to(ROOT)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def sources_digest() -> str:
    """Give the digest of all that the jars of this checkout are made of; each has it in DIGEST.

    Times say nothing here: a checkout of another commit sets them, and a removed file has none.
    """
    compiled = [*SOURCES.rglob("*.scala"), *python_files().values()]
    resources = [path for path in RESOURCES.rglob("*") if path.is_file()]
    return _digest([*PROGRAMS, *compiled, *resources], project_version())


def _run_compiler(jars: Path, sources: list[Path], output: Path) -> None:
    command = [_java(), "-Xss8m", "-cp", f"{jars}/*", "scala.tools.nsc.Main", "-usejavacp"]
    command += [*OPTIONS, "-d", str(output), *map(str, sources)]
    if subprocess.run(command, check=False).returncode:
        message = f"scalac refused the sources in {SOURCES}; its messages stand above"
        raise BuildError(message)


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if found is None:
        message = "there is no java here; install Java 17 or newer, or set JAVA_HOME"
        raise BuildError(message)
    return found


def python_files() -> dict[str, Path]:
    """Give the files of the Python package that workers import, by their names in the jar."""
    capabilities = PACKAGE / "capabilities.json"
    if not capabilities.is_file():
        message = f"{capabilities} is missing; make it with: python -m broadhead.capabilities"
        raise BuildError(message)
    return {
        str(Path("broadhead") / path.relative_to(PACKAGE)): path
        for path in [*PACKAGE.rglob("*.py"), capabilities]
        if "jars" not in path.parts
    }


def compiled_modules(files: dict[str, Path], python: str, tag: str) -> dict[str, bytes]:
    """Give the package as an interpreter compiles it, by the names of the modules in the jar.

    A worker imports the package in 30 ms with it and in 170 ms without. An archive has one place
    for the byte code of a module, whose sources the other versions of Python compile. So each
    version has a folder, which `broadhead/__init__.py` looks for. The sources are there once more,
    as tracebacks show the lines of what stands beside the byte code.
    """
    with tempfile.TemporaryDirectory() as temporary:
        for name, path in files.items():
            copy = Path(temporary, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        # The seed orders the sets among the constants, so that equal inputs give equal jars.
        _ask(python, _COMPILE, folder=temporary)
        return {
            f"{BYTE_CODE}/{tag}/{path.relative_to(temporary)}": path.read_bytes()
            for path in sorted(Path(temporary).rglob("*.py*"))
        }


def spark_members(jars: Path, classes: Path) -> str:
    """Give the revision of Spark's sources, and each member of Spark that the classes name.

    A start of another build of Spark looks them up.
    """
    # not at the top: `broadhead.jar` runs this file for the digest alone
    from class_references import spark_members

    return "\n".join([spark_revision(jars), *spark_members(classes.rglob("*.class"))])


def spark_revision(jars: Path) -> str:
    """Give the commit that Spark's jars say they were built from."""
    for jar in sorted(jars.glob("spark-co*.jar")):
        with zipfile.ZipFile(jar) as archive:
            if "spark-version-info.properties" in archive.namelist():
                text = archive.read("spark-version-info.properties").decode()
                found = re.search(r"^revision=(.*)$", text, re.MULTILINE)
                return found[1].strip() if found else ""
    return ""


def _ask(python: str, program: str, folder: str | None = None) -> str:
    """Give what a program prints in another interpreter."""
    try:
        done = subprocess.run(
            [python, "-c", program],
            cwd=folder,
            env=os.environ | {"PYTHONHASHSEED": "0"},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    except OSError as error:
        message = f"{python} cannot be started ({error}); name an interpreter with --python"
        raise BuildError(message) from None
    if done.returncode:
        message = f"{python} cannot compile the package; its messages stand above"
        raise BuildError(message)
    return done.stdout


def build_jar(output_dir: Path = DIST, pythons: Sequence[str] = (sys.executable,)) -> Path:
    """Build the jar for the Spark at hand, with byte code for some Pythons, and give its path.

    A jar of these sources is left as it is.
    """
    jars = spark_jars()
    spark, scala = spark_and_scala(jars)
    version = project_version()
    jar = output_dir / f"broadhead_spark{spark}_{scala}-{version}.jar"
    digest = sources_digest()
    tags = {python: _ask(python, _CACHE_TAG).strip() for python in pythons}
    if jar.is_file() and _is_current(jar, digest, tags.values()):
        return jar
    files = python_files()
    classes = compile_classes(jars, spark, scala)
    entries = dict(files)
    for folder in (classes, RESOURCES):
        entries |= {str(f.relative_to(folder)): f for f in folder.rglob("*") if f.is_file()}
    contents = {name: path.read_bytes() for name, path in entries.items()}
    contents[DIGEST] = digest.encode()
    contents[MEMBERS] = spark_members(jars, classes).encode()
    for python, tag in tags.items():
        contents |= compiled_modules(files, python, tag)
    output_dir.mkdir(parents=True, exist_ok=True)
    # A running Spark may have the jar mapped: never write into it, put a new file in its place.
    partial = jar.with_suffix(f".{os.getpid()}.partial")
    try:
        _write_jar(partial, contents, version)
        partial.replace(jar)
    finally:
        partial.unlink(missing_ok=True)
    return jar


def _is_current(jar: Path, digest: str, tags: Iterable[str]) -> bool:
    """Whether a jar was made of these sources, with byte code for these versions of Python."""
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        if DIGEST not in names or archive.read(DIGEST).decode() != digest:
            return False
    folders = {tuple(name.split("/")[:2]) for name in names}
    return all((BYTE_CODE, tag) in folders for tag in tags)


def _write_jar(jar: Path, contents: dict[str, bytes], version: str) -> None:
    contents["broadhead/version"] = version.encode()
    manifest = f"Manifest-Version: 1.0\r\nImplementation-Version: {version}\r\n\r\n"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(_entry("META-INF/MANIFEST.MF"), manifest)
        for name in sorted(contents):
            archive.writestr(_entry(name), contents[name])


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _ENTRY_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info


def main() -> int:
    """Build the jar that the command line asks for and print its path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DIST, help="folder of the jar")
    parser.add_argument(
        "--python",
        action="append",
        metavar="PATH",
        help="an interpreter whose workers import byte code (default: this one); may be repeated",
    )
    arguments = parser.parse_args()
    try:
        print(build_jar(arguments.output, arguments.python or [sys.executable]))
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
