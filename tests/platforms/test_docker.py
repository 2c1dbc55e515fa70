"""docker/: the services of compose.yaml are those of the image, whose install steps run here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from free_ports import free_ports
from launch.programs import ROOT

DOCKER = ROOT / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
SERVICES = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
SECONDS = 900

# Without a cache of packages, Spark is loaded and built first.
pytestmark = pytest.mark.timeout(SECONDS)

CLIENT = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
frame = spark.read.parquet(sys.argv[2]).groupBy("k").sum("v")
print(sorted(row[0] for row in frame.collect()), frame._explain_string())
spark.stop()
"""

JOB = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
# With a schema, so that no job of Spark has started an executor before.
frame = spark.read.schema("k long, v long").parquet(sys.argv[1]).groupBy("k").sum("v")
print(sorted(row[0] for row in frame.collect()), frame._jdf.queryExecution().toString())
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


def test_images_install_with_the_pinned_uv() -> None:
    (pinned,) = re.findall(r'"uv==(.+)",', (ROOT / "pyproject.toml").read_text())
    assert f"UV_VERSION={pinned}\n" in (DOCKER / "install.sh").read_text()


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


def test_the_install_script_installs_what_runs(installed: Path) -> None:
    # As every JVM of the suite, which runs its queries once.
    options = os.environ.get("SPARK_SUBMIT_OPTS", "")
    output = run(DOCKER / "install.sh", "check", installed, SPARK_SUBMIT_OPTS=options)
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


def start_cluster(services: Services, folder: Path) -> tuple[str, int]:
    """Start a master and a worker; gives the master's URL and the port of the shuffle service."""
    master, master_ui, worker_ui, shuffle = free_ports(4)
    url = f"spark://127.0.0.1:{master}"
    services.start(
        "master",
        *("--host", "127.0.0.1", "--port", str(master), "--webui-port", str(master_ui)),
        address=f"http://127.0.0.1:{master_ui}",
    )
    services.start(
        "worker",
        *("--webui-port", str(worker_ui), "--work-dir", str(folder / "work")),
        address=f"http://127.0.0.1:{worker_ui}",
        SPARK_WORKER_OPTS=f"-Dspark.shuffle.service.port={shuffle}",
        SPARK_WORKER_CORES="4",
        SPARK_MASTER=url,
    )
    return url, shuffle


@pytest.fixture
def services(installed: Path, tmp_path: Path) -> Iterator[Services]:
    found = Services(installed, tmp_path)
    yield found
    found.stop()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"k": [0, 1, 2] * 1000, "v": range(3000)}), path)
    return path


@pytest.mark.nightly
def test_the_services_run_a_query_of_a_client(
    installed: Path, services: Services, table: Path, tmp_path: Path
) -> None:
    url, shuffle = start_cluster(services, tmp_path)
    connect, history = free_ports(2)
    services.start(
        "connect",
        *("--conf", f"spark.connect.grpc.binding.port={connect}"),
        *("--conf", f"spark.shuffle.service.port={shuffle}"),
        address=f"tcp://127.0.0.1:{connect}",
        SPARK_MASTER=url,
    )
    services.start(
        "history",
        address=f"http://127.0.0.1:{history}/api/v1/applications",
        SPARK_HISTORY_OPTS=f"-Dspark.history.ui.port={history}",
    )
    python = installed / "venv" / "bin" / "python"
    output = run(python, "-c", CLIENT, f"sc://127.0.0.1:{connect}", table)
    assert "[0, 1, 2]" in output
    assert "BroadheadHashAggregate" in output
    assert_no_replay(tmp_path)


@pytest.mark.nightly
def test_a_packed_python_runs_the_first_query(
    installed: Path, services: Services, table: Path, tmp_path: Path
) -> None:
    """An executor must unpack the archive first; the query is planned before there is one."""
    url, shuffle = start_cluster(services, tmp_path)
    archive = tmp_path / "environment.tar.gz"
    (wheel,) = (installed / "dist").glob("broadhead-*.whl")
    run(
        ROOT / "conf" / "standalone" / "pack-python.sh",
        *(archive, sys.executable),
        BROADHEAD_REQUIREMENT=f"broadhead @ file://{wheel}",
    )
    programs = installed / "venv" / "bin"
    text = run(
        *(programs / "broadhead", "conf", "--for", "standalone", "--device", "cpu"),
        *("--cores", "2", "--memory", "3g", "--python", archive, "--file", "spark-defaults.conf"),
        *("--jar", next((installed / "jars").iterdir())),
        *("--set", f"spark.shuffle.service.port={shuffle}", "--set", f"spark.master={url}"),
    )
    (tmp_path / "spark-defaults.conf").write_text(text)
    (tmp_path / "job.py").write_text(JOB)
    output = run(
        *(programs / "spark-submit", "--properties-file", tmp_path / "spark-defaults.conf"),
        *("--conf", f"spark.pyspark.driver.python={programs / 'python'}"),
        *(tmp_path / "job.py", table),
        SPARK_HOME=str(installed / "spark"),
    )
    assert "[0, 1, 2]" in output
    assert "BroadheadHashAggregate" in output
    assert "switched off" not in output
    assert_no_replay(tmp_path)


def assert_no_replay(folder: Path) -> None:
    """No executor has run Spark's operators instead of a fragment."""
    logs = [path.read_text() for path in (folder / "work").glob("*/*/stderr")]
    assert logs
    assert not [log for log in logs if "Spark's own operators run instead" in log]
