"""Suite results: how fast the rows of a query reach Python as Arrow and as pandas."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine import EngineError, EngineProcess

if TYPE_CHECKING:
    import pyarrow as pa
    from measurements import Options, Results

_ROWS = 5_000_000
_FILES = 4
_ROW_GROUP = 250_000
_SEED = 7
_TABLES = ("numbers", "texts", "decimals")
_KINDS = ("toArrow", "toPandas")
_ARROW = {"spark.sql.execution.arrow.pyspark.enabled": "true"}


def run(options: Options, results: Results) -> None:
    """Time each table and kind of result on all engines in turns."""
    folders = _make_tables(options.data / "results").resolve()
    tables = {name: str(folders / name) for name in _TABLES}
    with ExitStack() as stack:
        processes = []
        for engine in options.engines:
            conf = {**options.session_conf(), **_ARROW}
            process = EngineProcess(engine, conf, options.logs / f"results-{engine.name}.log")
            stack.callback(process.stop)
            try:
                results.versions[engine.name] = process.start(options.timeout)["versions"]
                process.request({"do": "views", "tables": tables}, options.timeout)
                processes.append(process)
            except EngineError as error:
                results.add_error("start", engine.name, str(error))
        for name in _TABLES:
            for kind in _KINDS:
                _measure(options, results, processes, name, kind)


def _measure(
    options: Options, results: Results, processes: list[EngineProcess], table: str, kind: str
) -> None:
    measurement = f"{table} {kind}"
    request = {"do": "fetch", "sql": f"select * from {table} where l0 >= 0", "kind": kind}
    for turn in range(options.warmups + options.runs):
        if options.late:
            results.add_error(measurement, "all", "stopped: the suite's time is used up")
            return
        for process in processes if turn % 2 else processes[::-1]:
            name = process.engine.name
            try:
                answer = process.request(request, options.timeout)
            except EngineError as error:
                results.add_error(measurement, name, str(error))
                continue
            if answer["rows"] != _ROWS:
                results.add_error(measurement, name, f"{answer['rows']} rows, not {_ROWS}")
            warmup = turn < options.warmups
            results.add_run(measurement, name, answer["seconds"], warmup=warmup)


def _make_tables(target: Path) -> Path:
    """Folder of the two tables, made whole or not at all."""
    import pyarrow.parquet as pq

    if all((target / name).is_dir() for name in _TABLES):
        return target
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".results-", dir=target.parent))
    try:
        for name, table in zip(_TABLES, _columns(), strict=True):
            (partial / name).mkdir()
            for number in range(_FILES):
                part = table.slice(number * _ROWS // _FILES, _ROWS // _FILES)
                path = partial / name / f"part-{number}.parquet"
                pq.write_table(part, path, row_group_size=_ROW_GROUP)
        partial.chmod(0o755)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _columns() -> tuple[pa.Table, pa.Table, pa.Table]:
    """Longs and doubles; numbers, texts and times; and the latter with decimals as well.

    Decimals have a table of their own because pandas keeps them as Python's objects, which take
    longer to make than everything else.
    """
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(_SEED)
    longs = {f"l{i}": pa.array(random.integers(0, 10 ** (4 + 3 * i), _ROWS)) for i in range(4)}
    doubles = {f"d{i}": pa.array(random.random(_ROWS)) for i in range(4)}
    words = np.array([f"word number {i}" for i in range(2000)])
    texts = {
        "l0": longs["l0"],
        "l1": longs["l1"],
        "d0": doubles["d0"],
        "i0": pa.array(random.integers(0, 1000, _ROWS), pa.int32()),
        "word": pa.array(words[random.integers(0, 2000, _ROWS)]),
        "digits": pa.array(random.integers(0, 10**9, _ROWS)).cast(pa.string()),
        "day": pa.array(random.integers(8000, 12000, _ROWS), pa.int32()).cast(pa.date32()),
    }
    times = pa.array(random.integers(0, 2**50, _ROWS)).cast(pa.timestamp("us", "UTC"))
    cents = pa.array(random.integers(0, 10**7, _ROWS)).cast(pa.decimal128(21, 2))
    price = cents.cast(pa.decimal128(15, 2))
    return (
        pa.table(longs | doubles),
        pa.table(texts | {"time": times}),
        pa.table(texts | {"price": price}),
    )
