"""A stand-in for the control program of NVIDIA's Multi-Process Service."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from broadhead.worker import multi_process_service

if TYPE_CHECKING:
    from pathlib import Path

CONTROL = f"""#!{sys.executable}
import os, shutil, subprocess, sys, time
from pathlib import Path
pipes = Path(os.environ["CUDA_MPS_PIPE_DIRECTORY"])
if sys.argv[1:] != ["-f"]:
    (pipes / "told").write_text(sys.stdin.read())
    raise SystemExit
server = subprocess.Popen(["{multi_process_service.SERVER}", "60"])
(pipes / "server").write_text(str(server.pid))
(pipes / "control").write_text("devices: " + os.environ.get("CUDA_VISIBLE_DEVICES", ""))
while not (pipes / "told").exists():
    time.sleep(0.02)
server.kill()
for path in pipes.iterdir():
    shutil.copy(path, os.environ["SEEN"])
"""
"""Serves until it is told to quit, and keeps what it has seen; its server is another program."""


def install(programs: Path) -> None:
    """Put the control program and its server into a directory that is to be on the path."""
    control = programs / multi_process_service.CONTROL
    control.write_text(CONTROL)
    control.chmod(0o755)
    sleep = shutil.which("sleep")
    assert sleep is not None
    (programs / multi_process_service.SERVER).symlink_to(sleep)
