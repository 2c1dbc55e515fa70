"""The directory that what is spilled goes to."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SpillDirectory:
    """A private directory, made when it is first asked for and removed in the end."""

    def __init__(self, parents: Sequence[str]) -> None:
        self._parents = parents
        self._path: Path | None = None

    def __enter__(self) -> Callable[[], Path]:
        return self._get

    def __exit__(self, *exception: object) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)

    def _get(self) -> Path:
        if self._path is None:
            parent = self._parents[0] if self._parents else None
            self._path = Path(tempfile.mkdtemp(prefix="broadhead-spill-", dir=parent))
        return self._path
