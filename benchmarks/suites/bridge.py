"""Suite bridge: what one trivial fragment on a warm worker adds to a task."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine import EngineError, EngineProcess

if TYPE_CHECKING:
    from measurements import Options, Results

_TASKS = 200
_ROWS = 100
_QUERY = "select max(a), count(*) from tiny where a > 1"
_MEASUREMENT = f"{_TASKS} tiny tasks"
# Opening a file costs as much as the largest split: each file becomes a task of its own.
_ONE_FILE_A_TASK = {
    "spark.sql.files.openCostInBytes": "134217728",
    "spark.sql.files.maxPartitionBytes": "134217728",
}


def run(options: Options, results: Results) -> None:
    """Time the query on all engines in turns; the difference over the tasks is the overhead."""
    folder = _make_files(options.data / "bridge").resolve()
    with ExitStack() as stack:
        processes = []
        for engine in options.engines:
            conf = {**options.session_conf(), **_ONE_FILE_A_TASK}
            process = EngineProcess(engine, conf, options.logs / f"bridge-{engine.name}.log")
            stack.callback(process.stop)
            try:
                results.versions[engine.name] = process.start(options.timeout)["versions"]
                process.request({"do": "views", "tables": {"tiny": str(folder)}}, options.timeout)
                processes.append(process)
            except EngineError as error:
                results.add_error("start", engine.name, str(error))
        for turn in range(options.warmups + options.runs):
            if options.late:
                results.add_error(_MEASUREMENT, "all", "stopped: the suite's time is used up")
                break
            for process in processes if turn % 2 else processes[::-1]:
                _one(options, results, process, warmup=turn < options.warmups)
        for process in processes:
            _profile(options, results, process)
    results.extra["added_ms_per_task"] = _overhead(options, results)


def _one(options: Options, results: Results, process: EngineProcess, *, warmup: bool) -> None:
    try:
        answer = process.request({"do": "run", "sql": _QUERY}, options.timeout)
    except EngineError as error:
        results.add_error(_MEASUREMENT, process.engine.name, str(error))
        return
    results.add_run(_MEASUREMENT, process.engine.name, answer["seconds"], warmup=warmup)


def _profile(options: Options, results: Results, process: EngineProcess) -> None:
    try:
        request = {"do": "run", "sql": _QUERY, "profile": True}
        answer = process.request(request, options.timeout)
    except EngineError as error:
        results.add_error(_MEASUREMENT, process.engine.name, str(error))
        return
    profiles = results.profiles.setdefault(_MEASUREMENT, {})
    profiles[process.engine.name] = {"seconds": answer["seconds"], **answer["profile"]}


def _overhead(options: Options, results: Results) -> dict[str, float]:
    """Milliseconds that a task of each engine takes longer than one of the first engine."""
    reference = results.times(_MEASUREMENT, options.engines[0].name)
    per_task = 1000 * options.cores / _TASKS
    return {
        engine.name: round((min(times) - min(reference)) * per_task, 3)
        for engine in options.engines[1:]
        if reference and (times := results.times(_MEASUREMENT, engine.name))
    }


def _make_files(target: Path) -> Path:
    """Folder of as many tiny Parquet files as there are tasks, made whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".bridge-", dir=target.parent))
    try:
        for number in range(_TASKS):
            table = pa.table({"a": pa.array(range(number, number + _ROWS), pa.int64())})
            pq.write_table(table, partial / f"part-{number:04}.parquet")
        partial.chmod(0o755)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target
