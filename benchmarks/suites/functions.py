"""Suite functions: pipelines with the user's Python functions over TPC-H's lineitem."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from turns import Measured, Turns

from broadhead.demo.data import make_data
from broadhead.demo.queries import TABLES
from engine import EngineProcess

if TYPE_CHECKING:
    from measurements import Options, Results

PIPELINES = (
    "scalar",
    "chained",
    "features",
    "map",
    "groups",
    "large_groups",
    "models",
    "rows",
    "sql",
    "rdd",
    "few_rows",
)
"""The functions of `function_pipelines`, which runs in the process of each engine."""


def run(options: Options, results: Results) -> None:
    """Warm up, compare and time each pipeline on all engines before the next one."""
    folder = make_data(options.data / "tpch", options.scale).resolve()
    tables = {table: str(folder / table) for table in TABLES}
    with ExitStack() as stack:
        turns = Turns(options, results, tables)
        for engine in options.engines:
            log = options.logs / f"functions-{engine.name}.log"
            process = EngineProcess(engine, options.session_conf(), log)
            stack.callback(process.stop)
            turns.start(process)
        for name in options.pipelines or PIPELINES:
            if options.late:
                results.add_error(name, "all", "not run: the suite's time is used up")
                continue
            turns.measure(Measured(name, {"do": "pipeline", "name": name}))
            results.save()
