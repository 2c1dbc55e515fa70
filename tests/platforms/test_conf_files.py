"""Each file for a platform has the form that the platform reads."""

from __future__ import annotations

import ast
import configparser
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from databricks.sdk.service.compute import ClusterSpec
from google.cloud.dataproc_v1.types import Cluster
from google.protobuf import json_format

from broadhead.platforms.choices import Choices, gibibytes
from broadhead.platforms.rendering import files
from platforms.documents import CASES, ROOT, document

CONF = ROOT / "conf"
KUBERNETES = "1.33"


@pytest.mark.parametrize(("name", "device"), CASES)
def test_every_file_can_be_read(name: str, device: str, tmp_path: Path) -> None:
    for file, text in files(name, {"device": device}).items():
        assert text.endswith("\n"), file
        assert not re.search(r"\n\n\n|\n\n\Z|[ \t]$", text, re.MULTILINE), file
        match Path(file).suffix:
            case ".json":
                json.loads(text)
            case ".yaml":
                assert all(yaml.safe_load_all(text))
            case ".xml":
                _check_xml(text)
            case ".py":
                ast.parse(text)
            case ".cfg":
                configparser.ConfigParser().read_string(text)
            case ".sh":
                (tmp_path / file).write_text(text)
                subprocess.run(["bash", "-n", tmp_path / file], check=True)
            case suffix:
                assert suffix == ".conf", file


def _check_xml(text: str) -> None:
    for found in ET.fromstring(text):
        assert [part.tag for part in found] == ["name", "value"]


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_kubernetes_files_fit_its_schema(device: str) -> None:
    for file, text in files("kubernetes", {"device": device}).items():
        if file.endswith(".yaml"):
            for found in yaml.safe_load_all(text):
                kubernetes_validate.validate(found, KUBERNETES, strict=True)


def test_the_executors_pod_has_a_gpu_shared_memory_and_a_disk() -> None:
    pod = yaml.safe_load(document("kubernetes", "executor-pod.yaml"))["spec"]
    (container,) = pod["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "1"}
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume["emptyDir"] for volume in pod["volumes"]}
    assert mounts.keys() == volumes.keys()
    assert mounts["shared-memory"] == "/dev/shm"
    assert volumes["shared-memory"]["medium"] == "Memory"
    other = yaml.safe_load(document("kubernetes", "executor-pod.yaml", "cpu"))["spec"]
    assert "resources" not in other["containers"][0]


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_emr_configurations_fit_its_api(device: str) -> None:
    model = ServiceModel(Loader().load_service_model("emr", "service-2"))
    found = json.loads(document("emr", "configurations.json", device))
    report = ParamValidator().validate(found, model.shape_for("ConfigurationList"))
    assert not report.has_errors(), report.generate_report()
    for entry in found:
        assert entry["Classification"] in CLASSIFICATIONS


CLASSIFICATIONS = {"spark-defaults", "yarn-site", "container-executor", "capacity-scheduler"}
"""Of docs.aws.amazon.com/emr/latest/ReleaseGuide/emr-configure-apps.html"""


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_the_databricks_cluster_fits_its_api(device: str) -> None:
    found = json.loads(document("databricks", "cluster.json", device))
    # Fields that the API does not have are lost on the way.
    assert ClusterSpec.from_dict(found).as_dict() == found
    assert found["runtime_engine"] == "STANDARD"
    assert ("gpu-ml" in found["spark_version"]) == (device == "gpu")


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_the_dataproc_cluster_fits_its_api(device: str) -> None:
    found = yaml.safe_load(document("dataproc", "cluster.yaml", device))
    cluster = json_format.ParseDict(found, Cluster.pb(Cluster()))
    assert bool(cluster.config.worker_config.accelerators) == (device == "gpu")


# Keeps what pip is told, and fails like one that finds no versions; all else is Python's.
PIP = """#!/usr/bin/env bash
if [[ $1 == -m && $2 == pip ]]; then
  printf '%s\\n' "$@" > {folder}/arguments
  cp "$6" {folder}/constraints
  echo "ERROR: ResolutionImpossible" >&2
  exit 1
fi
exec {python} "$@"
"""


def test_the_packages_of_a_managed_runtime_stay_as_they_are(tmp_path: Path) -> None:
    python = tmp_path / "databricks" / "python" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP.format(folder=tmp_path, python=sys.executable))
    python.chmod(0o755)
    (tmp_path / "broadhead.jar").touch()
    (tmp_path / "databricks" / "jars").mkdir()
    script = files("databricks", {"jar": f"{tmp_path}/broadhead.jar"})["init.sh"]
    script = script.replace("/databricks/", f"{tmp_path}/databricks/")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, "a cluster must start without Broadhead"
    assert "all queries stay with Spark" in done.stderr
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert arguments[4] == "--constraint"
    own = (tmp_path / "constraints").read_text().splitlines()
    for package in ("pyarrow", "numpy", "pandas"):
        assert f"{package}=={version(package)}" in own


def test_the_discovery_script_prints_what_spark_reads(tmp_path: Path) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 0\necho 1\n")
    program.chmod(0o755)
    script = CONF / "standalone" / "gpu-discovery.sh"
    done = subprocess.run(
        ["bash", script],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {"name": "gpu", "addresses": ["0", "1"]}


@pytest.mark.parametrize("cores", [1, 3, 7, 12, 64, 96])
def test_a_gpu_is_shared_by_as_many_tasks_as_cores(cores: int) -> None:
    # Spark rounds the tasks for each GPU down.
    assert int(1 / float(Choices(cores=cores).task_gpus)) == cores


def test_the_memory_of_an_executor_is_divided() -> None:
    choices = Choices(memory=gibibytes("25g"))
    assert (choices.heap, choices.overhead) == (8, 17)
