"""The directories of spill files."""

from __future__ import annotations

import shutil
import tempfile
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SpillDirectory:
    """Private directories, one on each disk, created on first use and removed at the end.

    Ask for a directory for each file: the files are spread over the disks in turn. `parents` are
    directories of the task in Spark's local directories, which are created too; without any, the
    system's directory of temporary files is used. Raises OSError if none of them can be created.
    `encrypted` says that no rows may be written in clear text: then every call raises EngineLimit,
    since only Spark can encrypt spill files.
    """

    def __init__(self, parents: Sequence[str], *, encrypted: bool = False) -> None:
        self._encrypted = encrypted
        self._parents: list[str | None] = list(parents) or [None]
        self._paths: dict[str | None, Path] = {}
        self._files = count()
        self._lock = Lock()

    def __enter__(self) -> Callable[[], Path]:
        return self._get

    def __exit__(self, *exception: object) -> None:
        for path in self._paths.values():
            shutil.rmtree(path, ignore_errors=True)

    def _get(self) -> Path:
        if self._encrypted:
            raise EngineLimit(
                "an operator needs more than spark.broadhead.operatorMemory, but cannot spill: "
                "spark.io.encryption.enabled is true, and only Spark's operators encrypt"
            )
        with self._lock:
            while True:
                parent = self._parents[next(self._files) % len(self._parents)]
                try:
                    return self._path(parent)
                except OSError:
                    # a full or missing disk is left out, as long as there is another
                    if len(self._parents) == 1:
                        raise
                    self._parents.remove(parent)

    def _path(self, parent: str | None) -> Path:
        if parent not in self._paths:
            if parent is not None:
                Path(parent).mkdir(mode=0o700, exist_ok=True)
            self._paths[parent] = Path(tempfile.mkdtemp(prefix="broadhead-spill-", dir=parent))
        return self._paths[parent]
