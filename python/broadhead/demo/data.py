"""TPC-H tables as Parquet files, made once by tpchgen-cli and kept."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from broadhead.demo.queries import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

# Snappy-compressed size of all tables at scale factor 1: the base of the progress.
_BYTES_AT_SCALE_1 = 363_000_000
_POLL_SECONDS = 0.1
_BIG_TABLES = frozenset({"lineitem", "orders"})

DEFAULT_ROOT = Path(".data") / "tpch"


class DataError(RuntimeError):
    """TPC-H data could not be made."""


def data_path(root: Path, scale: float) -> Path:
    """Folder under `root` that holds, or will hold, the tables of `scale`."""
    return root / f"sf{scale:g}"


def make_data(root: Path, scale: float, *, progress: Callable[[float], None] | None = None) -> Path:
    """Folder of complete tables of `scale`, one sub-folder each, generated if not there.

    They are written to a folder beside it, renamed when all are complete: an interrupted run
    leaves nothing that a later one would take for data. `progress` is called with the share done.
    """
    if scale <= 0:
        raise DataError(f"scale factor {scale:g} is not possible: it must be above 0")
    target = data_path(root, scale)
    if target.is_dir():
        _check_complete(target)
        return target
    root.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=".partial", dir=root))
    try:
        for parts, tables in _by_file_count(scale).items():
            _generate(tables, parts, scale, partial, progress)
        partial.chmod(0o755)
        _publish(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if progress is not None:
        progress(1.0)
    return target


def register_views(spark: SparkSession, folder: Path) -> None:
    """Temporary views of the tables in `folder`, named as the queries name them."""
    for table in TABLES:
        spark.read.parquet(str(folder / table)).createOrReplaceTempView(table)


def file_count(table: str, scale: float) -> int:
    """Files that `table` is split into, so that a scan has work for many tasks."""
    if table not in _BIG_TABLES:
        return max(1, math.ceil(scale / 10)) if table not in {"region", "nation"} else 1
    return max(2 if scale < 1 else 4, 1 << math.ceil(math.log2(max(scale / 2, 1))))


def _by_file_count(scale: float) -> dict[int, list[str]]:
    groups: dict[int, list[str]] = {}
    for table in TABLES:
        groups.setdefault(file_count(table, scale), []).append(table)
    return groups


def _check_complete(folder: Path) -> None:
    missing = [table for table in TABLES if not any((folder / table).glob("*.parquet"))]
    if missing:
        raise DataError(
            f"{folder} has no tables {', '.join(missing)}: delete it, the next run creates it"
        )


def _publish(partial: Path, target: Path) -> None:
    try:
        partial.rename(target)
    except OSError:
        # Another process was faster: its tables are the same.
        if not target.is_dir():
            raise


def _generator() -> str:
    beside = Path(sys.executable).parent / "tpchgen-cli"
    found = str(beside) if beside.is_file() else shutil.which("tpchgen-cli")
    if found is None:
        raise DataError(
            "tpchgen-cli, which generates the TPC-H data, is not installed: "
            "run pip install 'broadhead[demo]' or pip install tpchgen-cli"
        )
    return found


def _generate(
    tables: list[str],
    parts: int,
    scale: float,
    folder: Path,
    progress: Callable[[float], None] | None,
) -> None:
    command = [_generator(), "parquet", f"--scale-factor={scale:g}", f"--tables={','.join(tables)}"]
    command += [f"--parts={parts}", f"--output-dir={folder}", "--quiet"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            while process.poll() is None:
                time.sleep(_POLL_SECONDS)
                if progress is not None:
                    progress(min(0.99, _size(folder) / (_BYTES_AT_SCALE_1 * scale)))
        finally:
            process.kill()
            process.wait()
        if process.returncode != 0:
            errors.seek(0)
            text = errors.read().decode(errors="replace").strip()
            raise DataError(f"{' '.join(command)} failed with {process.returncode}: {text}")


def _size(folder: Path) -> int:
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            # tpchgen-cli renames its temporary files while this walks.
            try:
                total += (Path(base) / name).stat().st_size
            except FileNotFoundError:
                continue
    return total
