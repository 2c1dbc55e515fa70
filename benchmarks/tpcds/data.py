"""The tables of TPC-DS as Parquet files: text of Trino's generator, converted by plain Spark."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import tomllib
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadhead.demo.data import DataError, data_path
from engine import EngineProcess, load_engine
from tpcds.maven import GENERATOR, fetch

if TYPE_CHECKING:
    from collections.abc import Iterator

# Other tables are one file: even web_returns has fewer rows than a task is worth.
_BIG_TABLES = frozenset({"catalog_sales", "inventory", "store_sales", "web_sales"})
_FILES_OF_BIG_TABLES = 4
_START_SECONDS = 120.0
_TABLE_SECONDS = 3600.0


@cache
def schemas() -> dict[str, str]:
    """The columns of each table, as Spark reads them from one text."""
    text = Path(__file__).with_name("tables.toml").read_text(encoding="utf-8")
    return {table: " ".join(columns.split()) for table, columns in tomllib.loads(text).items()}


def make_data(root: Path, scale: float, cores: int, memory: str) -> Path:
    """Folder of complete tables of `scale`, one sub-folder each, generated if not there.

    They are written to a folder beside it, renamed when all are complete: an interrupted run
    leaves nothing that a later one would take for data.
    """
    target = data_path(root, scale)
    if target.is_dir():
        missing = [table for table in schemas() if not any((target / table).glob("*.parquet"))]
        if missing:
            raise DataError(
                f"{target} has no tables {', '.join(missing)}: delete it, the next run creates it"
            )
        return target
    generator = fetch(GENERATOR, root / "maven")
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=".partial", dir=root))
    try:
        text, tables = partial / "text", partial / "tables"
        text.mkdir()
        _generate(generator, scale, cores, text)
        with _plain_spark(cores, memory, root / f"{target.name}.log") as spark:
            for table in schemas():
                spark.request(_conversion(table, text, tables), _TABLE_SECONDS)
        tables.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _generate(generator: Path, scale: float, cores: int, folder: Path) -> None:
    command = ["java", "-jar", str(generator), "--scale", f"{scale:g}", "--do-not-terminate"]
    command += ["--parallelism", str(cores), "--directory", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # The generator prints an error and exits with 0.
    if done.returncode != 0 or not files_of("store_sales", folder):
        raise DataError(f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()}")


def files_of(table: str, folder: Path) -> list[str]:
    """The text files of a table, one for each chunk; `store` is not `store_sales`."""
    name = re.compile(rf"{table}(_\d+_\d+)?\.dat")
    return sorted(str(path) for path in folder.iterdir() if name.fullmatch(path.name))


def _conversion(table: str, text: Path, tables: Path) -> dict[str, Any]:
    return {
        "do": "convert",
        "files": files_of(table, text),
        "schema": schemas()[table],
        "parts": _FILES_OF_BIG_TABLES if table in _BIG_TABLES else 1,
        "folder": str(tables / table),
    }


@contextmanager
def _plain_spark(cores: int, memory: str, log: Path) -> Iterator[EngineProcess]:
    conf = {
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
    }
    process = EngineProcess(load_engine("spark"), conf, log)
    try:
        process.start(_START_SECONDS)
        yield process
    finally:
        process.stop()
