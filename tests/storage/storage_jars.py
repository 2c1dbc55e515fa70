"""The jars of tests/storage/pom.xml, and the version of Hadoop that they are for."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).parents[2] / ".stamps" / "storage-jars"
"""Where `make test-storage` puts them, and `make test-tables` some of them."""

PARTS = "groupId", "artifactId", "version"
"""What names an artifact."""


def storage_jars() -> list[Path]:
    """All jars. Raises FileNotFoundError where Maven has not fetched them."""
    found = sorted(FOLDER.glob("*.jar"))
    if not found:
        raise FileNotFoundError(f"no jars in {FOLDER}: run the tests with make test-storage")
    return found


def hadoop_version() -> str:
    """The version of the Hadoop client that this interpreter's Spark has."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    (client,) = Path(spec.origin).parent.glob("jars/hadoop-client-api-*.jar")
    return client.stem.removeprefix("hadoop-client-api-")


def has_s3() -> bool:
    """Whether the client of S3 is among the jars."""
    return any(jar.name.startswith("hadoop-aws-") for jar in storage_jars())


def tables() -> list[str]:
    """The artifacts of Delta Lake and Iceberg, as Maven names them on its command line."""
    pom = ElementTree.parse(Path(__file__).parent / "pom.xml").getroot()
    names = {"m": "http://maven.apache.org/POM/4.0.0"}
    found = []
    for dependency in pom.iterfind("m:dependencies/m:dependency", names):
        parts = (dependency.findtext(f"m:{part}", "", names) for part in PARTS)
        found.append(":".join(parts))
    return [artifact for artifact in found if not artifact.startswith("org.apache.hadoop:")]


if __name__ == "__main__":
    print("\n".join(tables()) if "--tables" in sys.argv else hadoop_version())
