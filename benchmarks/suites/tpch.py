"""Suite tpch: the 22 queries derived from TPC-H, engines taking turns query by query."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from turns import Measured, Turns

from broadhead.demo.data import make_data
from broadhead.demo.queries import TABLES, load_query
from engine import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurements import Options, Results


def run(options: Options, results: Results) -> None:
    """Warm up, compare and time each query on all engines before the next query."""
    folder = make_data(options.data / "tpch", options.scale).resolve()
    tables = {table: str(folder / table) for table in TABLES}
    measure(options, Turns(options, results, tables), results, options.session_conf())


def measure(options: Options, turns: Turns, results: Results, conf: Mapping[str, str]) -> None:
    """The queries, by engines that are started with this configuration."""
    with ExitStack() as stack:
        for engine in options.engines:
            log = options.logs / f"{results.suite}-{engine.name}.log"
            process = EngineProcess(engine, conf, log)
            stack.callback(process.stop)
            turns.start(process)
        for number in options.queries:
            if options.late:
                results.add_error(f"Q{number}", "all", "not run: the suite's time is used up")
                continue
            query = load_query(number, options.scale)
            request = {"do": "run", "sql": query.sql}
            turns.measure(Measured(query.label, request, query.order_by, query.limit))
            results.save()
