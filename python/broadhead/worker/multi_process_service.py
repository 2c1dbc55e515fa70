"""Runs NVIDIA's Multi-Process Service (MPS) for the workers of an executor on one GPU.

Without it, processes that use one GPU take turns, and each waits for the turns of the others.

The plugin runs this source with the executors' Python and passes a private directory, and the UUID
of the GPU if it is known; it must not import any module of Broadhead. It serves until its standard
input ends: the system closes that however the executor ends. It prints lines: `ready` with the
directory of the service's pipes; `lost` with the reason when the service or its server has ended,
followed by another `ready` if it could be restarted; at last the reason why there is no service.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

CONTROL = "nvidia-cuda-mps-control"
SERVER = "nvidia-cuda-mps-server"
PATHS = ("/usr/bin", "/usr/local/nvidia/bin")
"""Its directory in containers, which is not always on the path."""

VISIBLE = "CUDA_VISIBLE_DEVICES"
START_SECONDS = 5.0
CHECK_SECONDS = 15.0
QUIT_SECONDS = 5
LOOK_SECONDS = 0.5

IN_ORDER = "in-order"
"""The file among a service's pipes that a worker removes when it has lost its context."""

STARTS = 3
"""Limit of restarts: each end of the service costs the tasks that use it."""

CONTEXT = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
status = (
    driver.cuInit(0)
    or driver.cuDeviceGet(ctypes.byref(device), 0)
    or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
)
raise SystemExit(f"CUDA status {status}" if status else 0)
"""
"""Program that creates a context on a GPU, like a worker."""


def serve(directory: Path, device: str | None = None, check: str = CONTEXT) -> str | None:
    """Run the service until standard input ends; returns the reason if there is none.

    It serves `device` alone: a UUID, since it numbers what it serves anew. None is every device.
    `check` is a Python program that succeeds if workers can use the service. Processes that used an
    ended service cannot use the next one: it has another directory, which distinguishes the
    workers.
    """
    paths = os.pathsep.join((os.environ.get("PATH", os.defpath), *PATHS))
    control = shutil.which(CONTROL, path=paths)
    if control is None:
        return f"{CONTROL} is not installed"
    for number in range(STARTS):
        pipes = directory / str(number)
        pipes.mkdir(mode=0o700)
        problem, lost = _serve_once(control, pipes, device, check)
        if not lost:
            return problem
    return f"it has ended {STARTS} times"


def _serve_once(
    control: str, pipes: Path, device: str | None, check: str
) -> tuple[str | None, bool]:
    """Run the service until standard input or it ends: the reason, and whether it ended in use."""
    variables = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")
    environment = dict.fromkeys(variables, str(pipes))
    for name, value in os.environ.items():
        # a worker numbers only the devices that the service shows
        if name != VISIBLE:
            environment.setdefault(name, value)
    if device is not None:
        environment[VISIBLE] = device
    service = subprocess.Popen(
        [control, "-f"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        problem = _problem(service, pipes, check, environment)
        if problem is not None:
            return problem, False
        # the check has started the server
        servers = _servers(service)
        (pipes / IN_ORDER).touch(mode=0o600)
        print(f"ready {pipes}", flush=True)
        problem = _watch(service, servers, pipes / IN_ORDER)
        if problem is not None:
            # at once: ending the service takes seconds while processes use it
            print(f"lost {problem}", flush=True)
        return problem, problem is not None
    finally:
        _quit(service, control, environment)


def _watch(service: subprocess.Popen[bytes], servers: set[int], in_order: Path) -> str | None:
    """Wait until standard input or the service ends: the reason of its end."""
    while True:
        readable, _, _ = select.select([sys.stdin.buffer], [], [], LOOK_SECONDS)
        if readable and not sys.stdin.buffer.read(1):
            return None
        if service.poll() is not None:
            return f"{CONTROL} ended with status {service.returncode}"
        running = _servers(service)
        if gone := servers - running:
            return f"its server, process {min(gone)}, has ended"
        if not in_order.exists():
            return "a process has lost its context on the GPU"
        servers = running


def _servers(service: subprocess.Popen[bytes]) -> set[int]:
    """The server's process, a child of the service; None if the system does not list it."""
    try:
        children = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text()
    except OSError:
        return set()
    return {int(child) for child in children.split() if _is_server(child)}


def _is_server(process: str) -> bool:
    """Whether it is a running server: an ended process may remain until its status is read."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    name, _, rest = status.partition("(")[2].rpartition(")")
    # the system keeps the first 15 characters of a name
    return name == SERVER[:15] and rest.split()[0] not in {"Z", "X"}


def _problem(
    service: subprocess.Popen[bytes], directory: Path, check: str, environment: dict[str, str]
) -> str | None:
    """The reason why workers cannot use the service that has just been started."""
    end = time.monotonic() + START_SECONDS
    while not (directory / "control").exists():
        if service.poll() is not None:
            return f"{CONTROL} ended with status {service.returncode}"
        if time.monotonic() > end:
            return f"{CONTROL} did not start within {START_SECONDS:.0f} seconds"
        time.sleep(0.01)
    try:
        worker = subprocess.run(
            [sys.executable, "-c", check],
            env=environment,
            check=False,
            capture_output=True,
            timeout=CHECK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"a process did not get to the GPU through it within {CHECK_SECONDS:.0f} seconds"
    if worker.returncode == 0:
        return None
    said = worker.stderr.decode(errors="replace").strip().splitlines() or ["no error output"]
    return f"a process cannot use the GPU through it: {said[-1]}"


def _quit(service: subprocess.Popen[bytes], control: str, environment: dict[str, str]) -> None:
    """End the service, whether or not it is in use."""
    try:
        subprocess.run(
            [control],
            env=environment,
            input=f"quit -t {QUIT_SECONDS}\n".encode(),
            check=False,
            capture_output=True,
            timeout=2 * QUIT_SECONDS,
        )
        service.wait(QUIT_SECONDS)
    except subprocess.TimeoutExpired:
        service.kill()
        service.wait()


def main(directory: Path, device: str | None = None) -> int:
    """Serve, and remove the directory at the end; the exit status."""
    # signals to all processes of the executor would end it before its cleanup
    os.setsid()
    try:
        problem = serve(directory, device)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if problem is not None:
        print(problem, flush=True)
    return int(problem is not None)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
