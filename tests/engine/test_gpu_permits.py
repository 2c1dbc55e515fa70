"""Permits of a GPU: bounded, given back by dead workers, and not to be disturbed by links."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from broadhead.worker.device import gpu_permit

if TYPE_CHECKING:
    from pathlib import Path


def ignored(_: int) -> None:
    """Takes the time that was waited."""


def test_a_task_waits_while_all_are_taken(tmp_path: Path) -> None:
    waited: list[int] = []

    def wait() -> None:
        with gpu_permit(tmp_path, 2, waited.append):
            pass

    with gpu_permit(tmp_path, 2, ignored):
        with gpu_permit(tmp_path, 2, ignored):
            thread = threading.Thread(target=wait)
            thread.start()
            thread.join(0.1)
            assert thread.is_alive()
        thread.join()
    assert len(waited) == 1
    assert waited[0] > 0


def test_a_dead_worker_gives_its_permit_back(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from broadhead.worker.device import gpu_permit
with gpu_permit(Path(sys.argv[1]), 1, print):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
"""
    died = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert died.returncode == -signal.SIGKILL
    with gpu_permit(tmp_path, 1, ignored):
        pass


def test_what_a_link_points_to_is_left_alone(tmp_path: Path) -> None:
    target, permits = tmp_path / "target", tmp_path / "permits"
    target.write_text("precious")
    permits.mkdir()
    (permits / "0").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"), gpu_permit(permits, 1, ignored):
        pass
    assert target.read_text() == "precious"


def test_a_file_that_is_there_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("precious")
    with gpu_permit(tmp_path, 1, ignored):
        pass
    assert (tmp_path / "0").read_text() == "precious"


def test_without_a_directory_the_tasks_of_a_process_share_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    waited: list[int] = []

    def second_task() -> None:
        with gpu_permit(None, 1, waited.append):
            pass

    second = threading.Thread(target=second_task)
    with gpu_permit(None, 1, ignored):
        second.start()
        second.join(0.2)
        assert not waited
        assert not list(tmp_path.iterdir())
    second.join()
    assert waited[0] > 0
