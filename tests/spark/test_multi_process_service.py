"""The Multi-Process Service of an executor whose server is killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from broadhead.worker.device import gpu_available
from broadhead.worker.multi_process_service import STARTS
from service_stand_in import install
from spark.cluster_programs import application

CUDA = """
import ctypes

class Driver:
    def __getattr__(self, name):
        return lambda *arguments: 0

load = ctypes.CDLL
ctypes.CDLL = lambda name, *a, **k: Driver() if name == "libcuda.so.1" else load(name, *a, **k)
"""

HEAD = """
def pipes():
    # Where the workers of this JVM find the service of its only GPU.
    package = spark._jvm.org.apache.spark.sql.broadhead.gpu
    gpu = package.ExecutorGpus.all().apply(0)
    found = package.MultiProcessService.environment(gpu).get("CUDA_MPS_PIPE_DIRECTORY")
    return Path(found.get()) if found.isDefined() else None

def children(process):
    listed = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in listed for child in file.read_text().split()]

def servers():
    # Of this application alone: processes far below its own JVM.
    java = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    found, below = [], [java]
    while below:
        process = below.pop()
        with suppress(OSError):
            status = Path(f"/proc/{process}/stat").read_text()
            state = status.rpartition(")")[2].split()[0]
            program = Path(f"/proc/{process}/cmdline").read_bytes().partition(b"\\0")[0]
            if program.endswith(b"nvidia-cuda-mps-server") and state != "Z":
                found.append(process)
            below += children(process)
    return found

def kill_server():
    # And wait until the plugin has noticed.
    before = pipes()
    (server,) = servers()
    os.kill(server, signal.SIGKILL)
    deadline = time.time() + 60
    while pipes() == before and time.time() < deadline:
        time.sleep(0.05)
    while pipes() is None and before.name != LAST and time.time() < deadline:
        time.sleep(0.05)
"""

STOOD_IN = """
spark = start("local[1]")
for _ in range(STARTS):
    results[pipes().name] = (pipes() / "control").exists()
    kill_server()
results["given up"] = pipes() is None
results["left"] = servers()
"""

REAL = """
spark = start("local[2]", **{
    "spark.broadhead.device": "gpu", "spark.broadhead.strict": "false",
    "spark.sql.adaptive.enabled": "false"})
spark.range(0, 2_000_000, 1, 4).selectExpr("id", "id % 37 AS k").write.parquet(str(folder / "t"))
make = lambda: spark.read.parquet(str(folder / "t")).groupBy("k").sum("id")
right = by_spark(make)
results["before"] = rows(make()) == right
import threading
during = []
thread = threading.Thread(target=lambda: during.extend(rows(make()) == right for _ in range(10)))
thread.start()
kill_server()
thread.join()
results["while it ended"] = during == [True] * 10
results["after"] = all(rows(make()) == right for _ in range(3))
results["pipes"] = pipes() is not None and pipes().name
results["servers"] = len(servers())
"""


def program(body: str) -> str:
    return f"STARTS, LAST = {STARTS}, {str(STARTS - 1)!r}\n" + HEAD + body


# By day tests/engine has the process itself.
@pytest.mark.nightly
def test_is_started_again_and_given_up_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers find each service by other pipes, so those of the one before get no tasks."""
    for name in ("bin", "seen", "modules", "files"):
        (tmp_path / name).mkdir()
    install(tmp_path / "bin")
    (tmp_path / "modules" / "sitecustomize.py").write_text(CUDA)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    with application(tmp_path / "files", [tmp_path / "modules"]) as run:
        found = run(program(STOOD_IN))
    started = {str(number): True for number in range(STARTS)}
    assert found == started | {"given up": True, "left": []}


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="needs a GPU with cuDF and its real service")
def test_queries_go_on_when_the_real_server_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    with application(tmp_path) as run:
        found = run(program(REAL))
    assert found == {
        "before": True,
        "while it ended": True,
        "after": True,
        "pipes": "1",
        "servers": 1,
    }
