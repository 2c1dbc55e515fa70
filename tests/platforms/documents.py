"""The files of all platforms, for each device, and Spark's keys in them."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from broadhead.platforms.registry import platforms
from broadhead.platforms.rendering import files
from broadhead.submit_arguments import read_properties

ROOT = Path(__file__).parents[2]
CASES = [(name, device) for name in platforms() for device in ("gpu", "cpu")]


def document(name: str, file: str, device: str = "gpu") -> str:
    return files(name, {"device": device})[file]


def spark_keys(name: str, device: str, folder: Path) -> dict[str, str]:
    """Spark's keys of a platform, as the file has them that the platform reads."""
    found = files(name, {"device": device})
    if name == "emr":
        (keys,) = (
            entry["Properties"]
            for entry in json.loads(found["configurations.json"])
            if entry["Classification"] == "spark-defaults"
        )
        return keys
    if name == "dataproc":
        every = yaml.safe_load(found["cluster.yaml"])["config"]["softwareConfig"]["properties"]
        prefix = "spark:"
        return {k.removeprefix(prefix): v for k, v in every.items() if k.startswith(prefix)}
    if name == "databricks":
        return json.loads(found["cluster.json"])["spark_conf"]
    path = folder / "spark-defaults.conf"
    path.write_text(found["spark-defaults.conf"])
    return read_properties(path)
