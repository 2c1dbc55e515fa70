"""docker/: the services of compose.yaml are those of the image, whose install steps run here."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from launch.programs import ROOT

DOCKER = ROOT / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
SERVICES = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
SECONDS = 900

CLIENT = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
frame = spark.read.parquet(sys.argv[2]).groupBy("k").sum("v")
print(sorted(row[0] for row in frame.collect()), frame._explain_string())
spark.stop()
"""


def targets() -> dict[str, str]:
    """The targets of the Dockerfile, and what each starts from."""
    return {n: base for base, n in re.findall(r"^FROM (\S+) AS (\w+)$", DOCKERFILE, re.MULTILINE)}


def test_the_targets_are_those_of_the_devices() -> None:
    assert {"cpu", "cuda12", "cuda13", "jupyter"} <= targets().keys()
    for device in ("cpu", "cuda12", "cuda13"):
        assert f"/dist/broadhead-*.whl {device} " in DOCKERFILE


def test_the_image_is_not_roots_and_says_whether_it_works() -> None:
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert 'CMD ["broadhead", "doctor"]' in DOCKERFILE


def test_the_cluster_has_all_services() -> None:
    assert SERVICES.keys() == {"master", "worker-1", "worker-2", "connect", "history", "jupyter"}
    start = (DOCKER / "start.sh").read_text()
    for name, service in SERVICES.items():
        (role,) = service["command"]
        assert re.search(rf"^  {role}\)$", start, re.MULTILINE), f"{name}: start.sh has no {role}"
        assert service["healthcheck"]["test"][:2] == ["CMD", "health.py"]


def test_the_services_of_the_gpu_file_are_workers() -> None:
    found = yaml.safe_load((DOCKER / "compose.gpu.yaml").read_text())["services"]
    assert found.keys() == {"worker-1", "worker-2"}


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command, which sees nothing of this tree's Python."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYSPARK", "SPARK"))}
    done = subprocess.run(
        [str(word) for word in command],
        env=kept | {"SPARK_LOCAL_IP": "127.0.0.1"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the target `cpu` installs, by the same script."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("broadhead-*.whl")
    run(DOCKER / "install.sh", "spark", folder, sys.executable)
    run(DOCKER / "install.sh", "package", folder, wheel, "cpu")
    return folder


@pytest.mark.timeout(SECONDS)
def test_the_install_script_installs_what_runs(installed: Path) -> None:
    output = run(DOCKER / "install.sh", "check", installed)
    assert "One query ran on Broadhead, with the right sums." in output
    assert str(installed / "venv") in output
    assert str(ROOT / "python") not in output


def test_the_configuration_names_what_is_installed(installed: Path) -> None:
    text = (installed / "conf" / "spark-defaults.conf").read_text()
    (jar,) = re.findall(r"^spark\.jars +local://(\S+)$", text, re.MULTILINE)
    (python,) = re.findall(r"^spark\.pyspark\.python +(\S+)$", text, re.MULTILINE)
    for path in (Path(jar), Path(python)):
        assert path.is_relative_to(installed)
        assert path.exists()
    assert jar.endswith(".jar")


class Services:
    """Processes of docker/start.sh, each with its log."""

    def __init__(self, root: Path, logs: Path) -> None:
        self._root = root
        self._logs = logs
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, role: str, *arguments: str, address: str, **environment: str) -> None:
        """Start a service and wait until it answers."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SPARK"))}
        own = {"BROADHEAD_ROOT": str(self._root), "SPARK_LOCAL_IP": "127.0.0.1"}
        log = self._logs / f"{role}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [DOCKER / "start.sh", role, *arguments],
                env=kept | own | environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self._running.append(process)
        deadline = time.monotonic() + 120
        while subprocess.run(
            [sys.executable, DOCKER / "health.py", address], check=False
        ).returncode:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.5)

    def stop(self) -> None:
        for process in reversed(self._running):
            process.terminate()
            process.wait(timeout=60)


def free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


@pytest.mark.nightly
@pytest.mark.timeout(SECONDS)
def test_the_services_run_a_query_of_a_client(installed: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"k": [0, 1, 2] * 1000, "v": range(3000)}), tmp_path / "t.parquet")
    master, master_ui, worker_ui, shuffle, connect, history = free_ports(6)
    cluster = {"SPARK_MASTER": f"spark://127.0.0.1:{master}"}
    services = Services(installed, tmp_path)
    try:
        services.start(
            "master",
            *("--host", "127.0.0.1", "--port", str(master), "--webui-port", str(master_ui)),
            address=f"http://127.0.0.1:{master_ui}",
        )
        services.start(
            "worker",
            *("--webui-port", str(worker_ui), "--work-dir", str(tmp_path / "work")),
            address=f"http://127.0.0.1:{worker_ui}",
            SPARK_WORKER_OPTS=f"-Dspark.shuffle.service.port={shuffle}",
            SPARK_WORKER_CORES="4",
            **cluster,
        )
        services.start(
            "connect",
            *("--conf", f"spark.connect.grpc.binding.port={connect}"),
            *("--conf", f"spark.shuffle.service.port={shuffle}"),
            address=f"tcp://127.0.0.1:{connect}",
            **cluster,
        )
        services.start(
            "history",
            address=f"http://127.0.0.1:{history}/api/v1/applications",
            SPARK_HISTORY_OPTS=f"-Dspark.history.ui.port={history}",
        )
        python = installed / "venv" / "bin" / "python"
        output = run(python, "-c", CLIENT, f"sc://127.0.0.1:{connect}", tmp_path / "t.parquet")
        assert "[0, 1, 2]" in output
        assert "BroadheadHashAggregate" in output
    finally:
        services.stop()
