"""The process that runs NVIDIA's Multi-Process Service, with a stand-in for the service."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from broadhead.worker import multi_process_service
from service_stand_in import install

PROGRAM = """
import sys
from pathlib import Path
from broadhead.worker import multi_process_service
from broadhead.worker.multi_process_service import serve
multi_process_service.CHECK_SECONDS = 2.0
print(serve(Path(sys.argv[1]), check=sys.argv[2]), flush=True)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where the stand-in is found instead of the service."""
    programs, seen = tmp_path / "bin", tmp_path / "seen"
    programs.mkdir()
    seen.mkdir()
    install(programs)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "SEEN": str(seen), "CUDA_VISIBLE_DEVICES": "1"}


def test_serves_until_its_input_ends(tmp_path: Path, environment: dict[str, str]) -> None:
    """It ends the service even if whoever started it could not say so."""
    directory = tmp_path / "pipes"
    directory.mkdir()
    check = "import os; assert os.environ['CUDA_MPS_PIPE_DIRECTORY']"
    command = [sys.executable, "-c", PROGRAM, str(directory), check]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == f"ready {directory / '0'}\n"
        time.sleep(0.1)
        assert process.poll() is None
        process.stdin.close()
        assert process.stdout.readline() == "None\n"
    seen = tmp_path / "seen"
    assert (seen / "control").read_text() == "devices: ", "workers number all devices"
    assert (seen / "told").read_text() == "quit -t 5\n"


def test_serves_the_gpu_of_the_executor_alone(tmp_path: Path, environment: dict[str, str]) -> None:
    directory = tmp_path / "pipes"
    directory.mkdir()
    program = PROGRAM.replace("check=", "'GPU-5f', ")
    check = "import os; assert os.environ['CUDA_VISIBLE_DEVICES'] == 'GPU-5f'"
    command = [sys.executable, "-c", program, str(directory), check]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"ready {directory / '0'}\n"
        process.communicate()
    assert (tmp_path / "seen" / "control").read_text() == "devices: GPU-5f"


def kill(pipes: Path, name: str) -> None:
    """End the process whose number is in a file."""
    os.kill(int((pipes / name).read_text()), signal.SIGKILL)


def test_is_started_again_when_its_server_ends(tmp_path: Path, environment: dict[str, str]) -> None:
    """Each time with other pipes, by which workers are told apart; in the end it gives up."""
    directory = tmp_path / "pipes"
    directory.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(directory), ""]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        for number in range(multi_process_service.STARTS):
            pipes = directory / str(number)
            assert process.stdout.readline() == f"ready {pipes}\n"
            if number:
                before = directory / str(number - 1) / "told"
                assert before.exists(), "what was left of the service has been ended"
            server = (pipes / "server").read_text()
            kill(pipes, "server")
            assert process.stdout.readline() == f"lost its server, process {server}, has ended\n"
        assert process.stdout.readline() == "it has ended 3 times\n"


def end_itself(pipes: Path) -> None:
    """Tell the stand-in to end."""
    (pipes / "told").touch()


def lose_a_context(pipes: Path) -> None:
    """Do what a worker does that cannot use the GPU any more."""
    (pipes / multi_process_service.IN_ORDER).unlink()


@pytest.mark.parametrize(
    ("end", "reason"),
    [(end_itself, ""), (lose_a_context, "a process has lost its context on the GPU\n")],
)
def test_is_started_again_when_it_is_of_no_use(
    tmp_path: Path, environment: dict[str, str], end: Callable[[Path], None], reason: str
) -> None:
    directory = tmp_path / "pipes"
    directory.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(directory), ""]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == f"ready {directory / '0'}\n"
        end(directory / "0")
        assert process.stdout.readline().startswith(f"lost {reason}")
        assert process.stdout.readline() == f"ready {directory / '1'}\n"
        process.stdin.close()
        assert process.stdout.readline() == "None\n"


def test_cleans_up_when_the_executor_is_killed(tmp_path: Path, environment: dict[str, str]) -> None:
    """Even with all processes that the executor has started: it is in a group of its own."""
    directory = tmp_path / "pipes"
    directory.mkdir()
    source = Path(multi_process_service.__file__).read_text(encoding="utf-8")
    source = source.replace("check: str = CONTEXT", "check: str = ''")
    executor = """
import os, subprocess, sys, time
os.setsid()
service = subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2]],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(service.stdout.readline().decode(), end="", flush=True)
time.sleep(60)
"""
    command = [sys.executable, "-c", executor, source, str(directory)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"ready {directory / '0'}\n"
        os.killpg(process.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while directory.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not directory.exists()
    assert (tmp_path / "seen" / "told").exists()


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("raise SystemExit('no such device')", "cannot use the GPU through it: no such device"),
        ("import time; time.sleep(60)", "did not get to the GPU through it within 2 seconds"),
    ],
)
def test_says_why_workers_cannot_use_it(
    tmp_path: Path, environment: dict[str, str], check: str, reason: str
) -> None:
    directory = tmp_path / "pipes"
    directory.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(directory), check]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout == f"a process {reason}\n"
    assert (tmp_path / "seen" / "told").exists(), "it has been ended"


def test_source_runs_alone_and_removes_its_directory(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """The plugin gives the interpreter the source as text."""
    directory = tmp_path / "pipes"
    directory.mkdir()
    environment["PATH"] = str(tmp_path / "empty")
    source = Path(multi_process_service.__file__).read_text(encoding="utf-8")
    source = source.replace("/usr/bin", "/nowhere").replace("/usr/local/nvidia/bin", "/nowhere")
    command = [sys.executable, "-I", "-c", source, str(directory)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (1, "nvidia-cuda-mps-control is not installed\n")
    assert not directory.exists()
