"""Where spilled files go: spread over the local directories, without those that are gone."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from broadhead.errors import EngineLimit
from broadhead.operators.spill.spill_directory import SpillDirectory

if TYPE_CHECKING:
    from pathlib import Path


def disks(root: Path, number: int) -> list[Path]:
    """A task's directory on each disk, not made yet."""
    made = [root / f"disk{i}" / "task" for i in range(number)]
    for directory in made:
        directory.parent.mkdir()
    return made


def test_files_are_spread_over_the_disks(tmp_path: Path) -> None:
    local = disks(tmp_path, 3)
    with SpillDirectory([str(disk) for disk in local]) as directory:
        asked = [directory() for _ in range(7)]
        assert [path.parent for path in asked] == [*local, *local, local[0]]
        assert len(set(asked)) == 3
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o700 for path in asked)
        (asked[0] / "rows").touch()
    assert [list(disk.iterdir()) for disk in local] == [[], [], []]


def test_nothing_is_made_before_it_is_asked_for(tmp_path: Path) -> None:
    local = disks(tmp_path, 2)
    with SpillDirectory([str(disk) for disk in local]) as directory:
        assert not any(disk.exists() for disk in local)
        directory()
        assert [disk.exists() for disk in local] == [True, False]
        assert stat.S_IMODE(local[0].stat().st_mode) == 0o700


def test_a_disk_that_is_gone_is_left_out(tmp_path: Path) -> None:
    first, gone, last = disks(tmp_path, 3)
    gone.parent.rmdir()
    with SpillDirectory([str(first), str(gone), str(last)]) as directory:
        assert {directory().parent for _ in range(8)} == {first, last}


def test_all_disks_are_gone(tmp_path: Path) -> None:
    first, last = disks(tmp_path, 2)
    first.parent.rmdir()
    last.parent.rmdir()
    with (
        SpillDirectory([str(first), str(last)]) as directory,
        pytest.raises(FileNotFoundError, match="task"),
    ):
        directory()


def test_without_local_directories_the_system_gives_one() -> None:
    with SpillDirectory([]) as directory:
        path = directory()
        assert directory() == path
    assert not path.exists()


def test_a_directory_that_cannot_be_made_is_left_out(tmp_path: Path) -> None:
    """As on a full disk: the next one takes the file."""
    first, last = disks(tmp_path, 2)
    full = first.parent / "file"
    full.touch()
    with SpillDirectory([str(full), str(last)]) as directory:
        assert {directory().parent for _ in range(4)} == {last}


def test_nothing_is_spilled_where_disks_are_to_hold_no_rows_in_clear(tmp_path: Path) -> None:
    (local,) = disks(tmp_path, 1)
    with (
        SpillDirectory([str(local)], encrypted=True) as directory,
        pytest.raises(EngineLimit, match=r"spark\.io\.encryption\.enabled"),
    ):
        directory()
    assert not local.exists()
