"""Suite startup: how much later an engine's first answers come, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from broadhead.demo.data import make_data
from broadhead.demo.queries import TABLES, load_query
from engine import REPOSITORY, EngineError, EngineProcess

if TYPE_CHECKING:
    from measurements import Options, Results

    from engine import Engine

# Small, so that start-up and not the query is what is measured.
_SCALE = 0.1
_QUERY = 6
_IMPORT = (
    "import time; started = time.perf_counter(); import {module}; "
    "print(time.perf_counter() - started)"
)


def run(options: Options, results: Results) -> None:
    """Time `import broadhead`, then each engine's session and first queries, in turns."""
    folder = make_data(options.data / "tpch", _SCALE).resolve()
    tables = {table: str(folder / table) for table in TABLES}
    for turn in range(options.warmups + options.runs):
        warmup = turn < options.warmups
        for module in ("broadhead", "pyspark"):
            seconds = _import_time(module)
            results.add_run(f"import {module}", options.engines[0].name, seconds, warmup=warmup)
        engines = options.engines if turn % 2 else options.engines[::-1]
        for engine in engines:
            if options.late:
                results.add_error("startup", engine.name, "stopped: the suite's time is used up")
                return
            _first_queries(options, results, engine, tables, warmup=warmup)
        results.save()
    results.extra["first_query_later_s"] = _later(options, results)


def _later(options: Options, results: Results) -> dict[str, float]:
    """By how much an engine's first answer is later than the first engine's, best against best."""
    reference = results.times("ready", options.engines[0].name)
    return {
        engine.name: round(min(times) - min(reference), 4)
        for engine in options.engines[1:]
        if reference and (times := results.times("ready", engine.name))
    }


def _first_queries(
    options: Options, results: Results, engine: Engine, tables: dict[str, str], *, warmup: bool
) -> None:
    process = EngineProcess(
        engine, options.session_conf(), options.logs / f"startup-{engine.name}.log"
    )
    request = {"do": "run", "sql": load_query(_QUERY, _SCALE).sql}
    try:
        answer = process.start(options.timeout)
        process.request({"do": "views", "tables": tables}, options.timeout)
        first = process.request(request, options.timeout)["seconds"]
        second = process.request(request, options.timeout)["seconds"]
    except EngineError as error:
        results.add_error("startup", engine.name, str(error))
        return
    finally:
        process.stop()
    results.versions[engine.name] = answer["versions"]
    session = answer["import_s"] + answer["session_s"]
    figures = {
        "session": session,
        "first query": first,
        "second query": second,
        "ready": session + first,
    }
    for name, seconds in figures.items():
        results.add_run(name, engine.name, seconds, warmup=warmup)


def _import_time(module: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT.format(module=module)],
        cwd=REPOSITORY / "python",
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)
