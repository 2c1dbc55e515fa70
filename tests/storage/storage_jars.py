"""The jars of tests/storage/pom.xml, and the version of Hadoop that they are for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".stamps" / "storage-jars"
"""Where `make test-storage` puts them."""


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


if __name__ == "__main__":
    print(hadoop_version())
