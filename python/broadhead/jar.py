"""Finds the Spark installation of a program, and the plugin's jar for it."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from broadhead.version import VERSION

# The jar for each Spark version: Spark's minor version -> the version that the jar was compiled
# for. An entry requires that the tests have run: make test-spark SPARK=...
COMPILED_FOR = {"3.5": "3.5", "4.0": "4.1", "4.1": "4.1", "4.2": "4.1", "4.3": "4.1"}

SCALA = "2.13"
MINIMUM_JAVA = 17

# Hadoop's file systems in earlier Spark need what Java 24 has removed (`Subject.getSubject`).
_JAVA_WITHOUT_SUBJECTS = 24
_SPARK_WITHOUT_SUBJECTS = (4, 2)


class LaunchError(RuntimeError):
    """Broadhead cannot be started; the message has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Spark:
    """A Spark installation, as its own jars describe it."""

    home: Path
    version: str
    scala: str

    @property
    def minor(self) -> str:
        """The first two numbers of the version, such as 4.1."""
        return ".".join(self.version.split(".")[:2])

    @property
    def runs_on_java_24(self) -> bool:
        """Whether it runs on Java 24 and newer, too."""
        return tuple(map(int, self.minor.split("."))) >= _SPARK_WITHOUT_SUBJECTS


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar of the plugin: its path, and its versions of Spark, Scala and Broadhead."""

    path: Path
    spark: str
    scala: str
    version: str


def find_spark() -> Spark:
    """Give the Spark that `pyspark` and `spark-submit` of this environment start."""
    home = os.environ.get("SPARK_HOME")
    if home is None:
        package = importlib.util.find_spec("pyspark")
        if package is None or package.origin is None:
            message = (
                "PySpark is not installed and SPARK_HOME is not set; "
                "install it with: pip install 'broadhead[spark]'"
            )
            raise LaunchError(message)
        home = str(Path(package.origin).parent)
    for jar in sorted(Path(home, "jars").glob("spark-core_*.jar")):
        named = re.fullmatch(r"spark-core_(\d+\.\d+)-(\d+\.\d+\.\d+.*)\.jar", jar.name)
        if named:
            return Spark(Path(home), version=named[2], scala=named[1])
    message = (
        f"{home} has no jars/spark-core_*.jar, so it is no full Spark installation (a Spark "
        "Connect client alone?); install pyspark, or set SPARK_HOME to a Spark installation"
    )
    raise LaunchError(message)


def packaged_jars() -> list[Jar]:
    """Give the jars of this version: those in the wheel, or those built in this checkout."""
    package = Path(__file__).parent
    jars = []
    for folder in (package / "jars", package.parents[1] / "jvm" / "dist"):
        for path in sorted(folder.glob("broadhead_spark*.jar")):
            named = re.fullmatch(r"broadhead_spark([\d.]+)_([\d.]+)-(.+)\.jar", path.name)
            if named and named[3] == VERSION:
                jars.append(Jar(path, spark=named[1], scala=named[2], version=named[3]))
    return jars


def jar_name() -> str:
    """Give the name of the jar's file for clusters, whose Spark may not be installed here."""
    return f"broadhead_spark{max(COMPILED_FOR.values())}_{SCALA}-{VERSION}.jar"


def find_jar(spark: Spark) -> Jar:
    """Give the jar for a Spark installation."""
    jars = packaged_jars()
    if not jars:
        message = f"no jar of Broadhead {VERSION} here; build it with: make jar"
        raise LaunchError(message)
    wanted = COMPILED_FOR.get(spark.minor)
    for jar in jars:
        if jar.spark == wanted and jar.scala == spark.scala:
            _check_sources(jar.path)
            return jar
    message = (
        f"Broadhead {VERSION} has no jar for Spark {spark.version} with Scala {spark.scala} "
        f"({spark.home}); it has jars for {', '.join(_served(jar) for jar in jars)}"
    )
    raise LaunchError(message)


@cache
def _check_sources(jar: Path) -> None:
    """Refuse a checkout's jar of other sources than the checkout has: workers would run those."""
    program = jar.parents[1] / "compile.py"
    if not program.is_file():
        return
    build = runpy.run_path(str(program))
    with zipfile.ZipFile(jar) as archive:
        digest = build["DIGEST"]
        found = archive.read(digest).decode() if digest in archive.namelist() else ""
    if found != build["sources_digest"]():
        command = "make jar SPARK=3.5" if jar.name.startswith("broadhead_spark3.5") else "make jar"
        message = f"the jar is older than python/broadhead or jvm/src/main: {command}"
        raise LaunchError(message)


def _served(jar: Jar) -> str:
    minors = sorted(minor for minor, built in COMPILED_FOR.items() if built == jar.spark)
    return f"Spark {', '.join(minors)} with Scala {jar.scala}"


def jar_path() -> str:
    """Give the path of the jar for this environment's Spark: the value for `spark.jars`."""
    return str(find_jar(find_spark()).path)


def find_java(spark: Spark | None = None) -> tuple[Path, str]:
    """Give the java program that Spark will start, and its version.

    Raises LaunchError if there is none, or if `spark` does not run on it.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is no java here"
        message = (
            f"{where}, and Spark needs Java {MINIMUM_JAVA} or newer; "
            "install it (on Debian or Ubuntu: apt-get install openjdk-17-jre-headless) "
            "or set JAVA_HOME"
        )
        raise LaunchError(message)
    java = Path(found).resolve()
    version = _java_version(java)
    major = int(re.split(r"[.\-+]", version.removeprefix("1."))[0] or 0)
    if major < MINIMUM_JAVA:
        message = (
            f"{found} is Java {version}, and Broadhead needs Java {MINIMUM_JAVA} or newer; "
            "install it or set JAVA_HOME to one"
        )
        raise LaunchError(message)
    if spark is not None and major >= _JAVA_WITHOUT_SUBJECTS and not spark.runs_on_java_24:
        message = (
            f"{found} is Java {version}, on which Spark {spark.version} cannot read files: "
            "set JAVA_HOME to Java 17 or 21, or install Spark 4.2 or newer"
        )
        raise LaunchError(message)
    return java, version


def _java_version(java: Path) -> str:
    """Give the version in the release file, without starting Java if there is one."""
    pattern = r'(?:JAVA_VERSION=|version )"([^"]+)"'
    try:
        text = (java.parents[1] / "release").read_text(encoding="utf-8")
    except OSError:
        text = ""
    if re.search(pattern, text) is None:
        text = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, check=False
        ).stderr
    found = re.search(pattern, text)
    return found[1] if found else "0 (unknown)"
