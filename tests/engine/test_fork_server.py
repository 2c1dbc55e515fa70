"""The process with the engine loaded, of which Spark's daemons are copies, and their client."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER = Path(__file__).parents[2] / "python" / "broadhead" / "worker"
SERVE = (
    "import sys; from pathlib import Path; path = list(sys.path); sys.path[:0] = sys.argv[2:]; "
    "from broadhead.worker.fork_server import serve; serve(Path(sys.argv[1]), path)"
)
MODULE = """
import json, os, random, signal, sys

def drawn():
    numpy = sys.modules.get("numpy")
    return [random.random(), numpy.random.rand() if numpy else None]

read, write = os.pipe()
if os.fork() == 0:
    os.write(write, json.dumps(drawn()).encode())
    os._exit(0)
os.wait()
print(json.dumps({
    "arguments": sys.argv[1:],
    "name": __name__,
    "directory": os.getcwd(),
    "variable": os.environ.get("SPARK_OF_TASK"),
    "path": sys.path,
    "modules": [*sys.modules],
    "drawn": drawn(),
    "drawn by a fork": json.loads(os.read(read, 1000)),
    "parent": os.getppid(),
    "signals": [str(signal.getsignal(one)) for one in (signal.SIGCHLD, signal.SIGTERM)],
}), flush=True)
if sys.argv[1:] == ["fail"]:
    raise ValueError("of the module")
sys.stdin.read()
print("ended", flush=True)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the process")


class Server:
    """The process, and what its clients do."""

    def __init__(self, folder: Path) -> None:
        """Starts it; `folder` has the module."""
        self.directory = folder / "sockets"
        self.directory.mkdir()
        (folder / "of_test.py").write_text(MODULE)
        package = str(WORKER.parents[1])
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "PYTHONSAFEPATH": "1",
            "PYTHONHASHSEED": "0",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(self.directory), package],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def client(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """The module's process, as Spark sees it."""
        command = [sys.executable, "-I", "-S", str(WORKER / "fork_client.py")]
        command += [str(self.directory / "fork"), sys.executable, "-m", "of_test", *arguments]
        return subprocess.Popen(
            command,
            env=self.environment | options.pop("environment", {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def state(self, *arguments: str, **options: Any) -> tuple[subprocess.Popen[str], Any]:
        """The process of the module, and what it has printed."""
        client = self.client(*arguments, **options)
        assert client.stdout is not None
        return client, json.loads(client.stdout.readline())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path)
    yield started
    started.process.kill()
    started.process.wait()


def test_a_copy_is_as_its_own_interpreter(server: Server, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    client, copy = server.state("a b", "", cwd=elsewhere, environment={"SPARK_OF_TASK": "x=1\ny"})
    own = subprocess.run(
        [sys.executable, "-m", "of_test", "a b", ""],
        env=server.environment | {"SPARK_OF_TASK": "x=1\ny"},
        cwd=elsewhere,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    alone = json.loads(own.stdout.splitlines()[0])
    assert copy["parent"] == server.process.pid
    assert "broadhead.worker.task" in copy["modules"]
    assert "broadhead.worker.task" not in alone["modules"]
    different = ("parent", "modules", "drawn", "drawn by a fork")
    assert {name: copy[name] for name in copy if name not in different} == {
        name: alone[name] for name in alone if name not in different
    }
    assert client.communicate("", timeout=10) == ("ended\n", "")


def test_copies_draw_other_random_numbers(server: Server) -> None:
    drawn = []
    for _ in range(2):
        client, copy = server.state()
        assert "numpy.random" in copy["modules"]
        drawn += [copy["drawn"], copy["drawn by a fork"]]
        client.communicate("", timeout=10)
    assert len(set(map(str, drawn))) == 4


@pytest.mark.parametrize("how", ["variable", "ended", "stale"])
def test_where_no_copy_fits_the_interpreter_runs(server: Server, how: str) -> None:
    environment = {}
    if how == "variable":
        environment = {"MALLOC_ARENA_MAX": "1"}
    else:
        server.process.kill()
        server.process.wait()
        if how == "ended":
            (server.directory / "fork").unlink()
    client, state = server.state("x", environment=environment)
    assert state["parent"] == os.getpid()
    assert "broadhead" not in state["modules"]
    assert client.communicate("", timeout=10) == ("ended\n", "")


def test_the_end_of_a_client_is_that_of_its_copy(server: Server) -> None:
    client, _ = server.state()
    client.send_signal(signal.SIGTERM)
    client.wait(timeout=10)
    assert client.communicate(timeout=10) == ("", "")
    _, copy = server.state()
    assert copy["parent"] == server.process.pid


def test_an_error_of_a_copy_is_printed(server: Server) -> None:
    client, _ = server.state("fail")
    _, errors = client.communicate(timeout=10)
    assert errors.endswith("ValueError: of the module\n")


@pytest.mark.parametrize("sent", [b"", b"\0\0\0\2\0\0\0\x05ab"])
def test_a_broken_request_costs_only_its_connection(server: Server, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server.directory / "fork"))
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            assert connection.recv(1) == b""
    client, copy = server.state()
    assert copy["parent"] == server.process.pid
    client.communicate("", timeout=10)


def test_it_ends_with_its_jvm_and_leaves_nothing(server: Server) -> None:
    assert server.process.stdin is not None
    client, _ = server.state()
    server.process.stdin.close()
    assert server.process.wait(timeout=10) == 0
    deadline = time.monotonic() + 10
    while server.directory.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not server.directory.exists()
    assert client.communicate("", timeout=10) == ("ended\n", "")
