"""Every key in conf/ is one of Spark or one of Broadhead, and has a value that Spark can read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.java_gateway import launch_gateway

from broadhead.launch import PLUGIN
from broadhead.platforms.rendering import files
from broadhead.submit_arguments import append_to_list
from platforms.documents import CASES, ROOT, spark_keys

OBJECTS = (
    "org.apache.spark.internal.config.package$",
    "org.apache.spark.internal.config.History$",
    "org.apache.spark.internal.config.Python$",
    "org.apache.spark.deploy.yarn.config.package$",
    "org.apache.spark.deploy.k8s.Config$",
    "org.apache.spark.sql.connect.config.Connect$",
)
"""Scala objects that register Spark's keys when they are loaded."""

WITHOUT_ENTRY = re.compile(
    r"spark\.(master|local\.dir)"
    r"|spark\.(executor|task|worker)\.resource\.gpu\.(amount|discoveryScript|vendor)"
)
"""Keys that Spark puts together or reads without an entry: see its page on configuration."""


class SparksKeys:
    """Spark's own registry of configuration entries, in a JVM."""

    def __init__(self) -> None:
        self._gateway = launch_gateway()
        self._jvm = self._gateway.jvm
        for name in OBJECTS:
            self._jvm.java.lang.Class.forName(name)

    def fault(self, key: str, value: str) -> str:
        """What Spark has against a key and its value, or nothing."""
        entry = self._jvm.org.apache.spark.internal.config.ConfigEntry.findEntry(key)
        if entry is None:
            return "" if WITHOUT_ENTRY.fullmatch(key) else "no such key"
        conf = self._jvm.org.apache.spark.SparkConf(False).set(key, value)
        try:
            conf.get(entry)
        except Exception as error:
            return str(error)
        return ""

    def close(self) -> None:
        self._gateway.shutdown()
        self._gateway.proc.stdin.close()
        self._gateway.proc.wait(timeout=30)


@pytest.fixture(scope="module")
def sparks_keys() -> Iterator[SparksKeys]:
    found = SparksKeys()
    yield found
    found.close()


def broadheads_keys() -> set[str]:
    page = (ROOT / "docs" / "configuration.md").read_text()
    return set(re.findall(r"^\| `(spark\.broadhead\.[^`]+)`", page, re.MULTILINE))


def test_an_unknown_key_and_a_wrong_value_are_found(sparks_keys: SparksKeys) -> None:
    assert sparks_keys.fault("spark.executor.coars", "8") == "no such key"
    assert "eight" in sparks_keys.fault("spark.executor.cores", "eight")
    assert not sparks_keys.fault("spark.executor.cores", "8")


@pytest.mark.parametrize(("name", "device"), CASES)
def test_every_key_is_known(
    name: str, device: str, sparks_keys: SparksKeys, tmp_path: Path
) -> None:
    found = spark_keys(name, device, tmp_path)
    own = {key for key in found if key.startswith("spark.broadhead.")}
    assert own <= broadheads_keys()
    faults = {
        key: fault
        for key, value in found.items()
        if key not in own and (fault := sparks_keys.fault(key, value))
    }
    assert not faults


@pytest.mark.parametrize(("name", "device"), CASES)
def test_the_plugin_is_on_and_the_device_is_that_of_the_cluster(
    name: str, device: str, tmp_path: Path
) -> None:
    found = spark_keys(name, device, tmp_path)
    assert found["spark.plugins"] == PLUGIN
    assert found["spark.broadhead.device"] == {"gpu": "auto", "cpu": "cpu"}[device]
    assert any("resource.gpu" in key for key in found) == (device == "gpu")


def test_further_keys_replace_those_of_the_platform(tmp_path: Path) -> None:
    own = {"spark.plugins": append_to_list("mine.Plugin", PLUGIN), "spark.executor.cores": "2"}
    for name in ("yarn", "emr", "dataproc", "databricks"):
        for text in files(name, {"settings": own}).values():
            lines = [line for line in text.splitlines() if "Made by" not in line]
            assert sum("spark.plugins" in line for line in lines) <= 1, text
            assert "mine.Plugin" not in text or f"mine.Plugin,{PLUGIN}" in text
