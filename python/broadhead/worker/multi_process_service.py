"""Runs NVIDIA's Multi-Process Service (MPS) for the workers of one executor.

Without it, processes that use one GPU take turns, and each waits for the turns of the others.

The plugin runs this source with the Python that executors use, and gives it a private directory: it
must not import anything of Broadhead. It prints one line, `ready` or why there is no service, and
serves until its standard input ends: the system closes that however the executor ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

CONTROL = "nvidia-cuda-mps-control"
PLACES = ("/usr/bin", "/usr/local/nvidia/bin")
"""Where containers have it, not always on the path."""

START_SECONDS = 5.0
CHECK_SECONDS = 15.0
QUIT_SECONDS = 5

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
"""Program that makes a context on a GPU, as workers do."""


def serve(directory: Path, check: str = CONTEXT) -> str | None:
    """Run the service until standard input ends; the reason if there is none.

    `check` is a Python program that succeeds where workers can use the service.
    """
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), *PLACES))
    control = shutil.which(CONTROL, path=places)
    if control is None:
        return f"{CONTROL} is not installed"
    variables = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")
    environment = dict.fromkeys(variables, str(directory))
    for name, value in os.environ.items():
        # a worker numbers the devices that the service shows to it
        if name != "CUDA_VISIBLE_DEVICES":
            environment.setdefault(name, value)
    service = subprocess.Popen(
        [control, "-f"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        problem = _problem(service, directory, check, environment)
        if problem is None:
            print("ready", flush=True)
            sys.stdin.buffer.read()
        return problem
    finally:
        _quit(service, control, environment)


def _problem(
    service: subprocess.Popen[bytes], directory: Path, check: str, environment: dict[str, str]
) -> str | None:
    """Why workers cannot use the service that has just been started."""
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
    said = worker.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
    return f"a process cannot use the GPU through it: {said[-1]}"


def _quit(service: subprocess.Popen[bytes], control: str, environment: dict[str, str]) -> None:
    """End the service, whoever still uses it."""
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


def main(directory: Path) -> int:
    """Serve, and remove the directory at the end; the exit status."""
    # signals to all processes of the executor would end it before it has cleaned up
    os.setsid()
    try:
        problem = serve(directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if problem is not None:
        print(problem, flush=True)
    return int(problem is not None)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
