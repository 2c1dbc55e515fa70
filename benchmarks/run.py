#!/usr/bin/env python3
"""Measures engines against each other: the same queries, taking turns, in one invocation.

    python benchmarks/run.py --suite tpch --engines spark,broadhead --scale 1 --runs 3

It needs pyspark and pyarrow, for the suites tpch, iceberg, delta, functions and startup tpchgen-cli
or data made before, for tpcds Maven or the jars that it has fetched before, and for iceberg and
delta the jars of the tests of storage.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from measurements import Options, Results
from suites import (
    bridge,
    cached,
    delta,
    files,
    functions,
    iceberg,
    results,
    sql_functions,
    startup,
    tpcds,
    tpch,
)
from tpcds.queries import parse_names

from broadhead.demo.data import DataError
from broadhead.demo.queries import NOTE, parse_numbers
from engine import EngineError, load_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

_SUITES = {
    "tpch": tpch.run,
    "tpcds": tpcds.run,
    "iceberg": iceberg.run,
    "delta": delta.run,
    "functions": functions.run,
    "files": files.run,
    "startup": startup.run,
    "bridge": bridge.run,
    "cached": cached.run,
    "results": results.run,
    "sql_functions": sql_functions.run,
}

# How a suite reads its queries from the command line, and which it has.
_QUERIES = {
    "tpch": (parse_numbers, "1-22"),
    "tpcds": (parse_names, "1-99"),
    "iceberg": (parse_numbers, "1-22"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suites of the command line; 1 if anything failed or differed."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    suites = [name.strip() for name in chosen.suite.split(",")]
    unknown = [name for name in suites if name not in _SUITES]
    if unknown:
        parser.error(f"there is no suite '{unknown[0]}': choose from {', '.join(_SUITES)}")
    failed = False
    for name in suites:
        try:
            options = _options(chosen, name)
        except (EngineError, ValueError) as error:
            parser.error(str(error))
        found = Results(name, options, _path(chosen.output, name, several=len(suites) > 1))
        try:
            _SUITES[name](options, found)
        except (DataError, EngineError) as error:
            found.add_error(name, "all", str(error))
        finally:
            found.save()
        _print(found)
        failed = failed or bool(found.errors)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure Spark engines against each other, taking turns.", epilog=NOTE
    )
    add = parser.add_argument
    add(
        "--suite",
        default="tpch",
        help=f"suites, comma-separated: {', '.join(_SUITES)} (%(default)s)",
    )
    add(
        "--engines",
        default="spark,broadhead",
        help="engines, the first is the baseline (%(default)s)",
    )
    add("--scale", type=float, default=1.0, help="scale factor of the data (%(default)s)")
    add("--queries", help="queries of tpch, tpcds or iceberg, such as 1,6 or 1-5 (all)")
    add(
        "--pipelines",
        default="",
        help="pipelines of functions, files and delta, names of sql_functions (all)",
    )
    add("--runs", type=int, default=3, help="timed runs of each measurement (%(default)s)")
    add("--warmups", type=int, default=1, help="runs before them, not counted (%(default)s)")
    add("--cores", type=int, default=os.cpu_count(), help="cores of each engine (%(default)s)")
    add("--memory", default="4g", help="driver memory of each engine (%(default)s)")
    add("--data", type=Path, default=Path(".data"), help="folder of the data (%(default)s)")
    add("--output", type=Path, help="JSON file; with several suites the suite's name is added")
    add(
        "--timeout", type=float, default=300.0, help="seconds a single query may take (%(default)s)"
    )
    add("--deadline", type=float, default=7200.0, help="seconds a suite may take (%(default)s)")
    add("--no-profile", action="store_true", help="skip the profiled run of each query")
    add(
        "--conf",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="for all engines; repeatable",
    )
    return parser


def _options(chosen: argparse.Namespace, suite: str) -> Options:
    pairs = [text.partition("=") for text in chosen.conf]
    wrong = ["".join(pair) for pair in pairs if not pair[0] or not pair[1]]
    if wrong:
        raise ValueError(f"--conf '{wrong[0]}' is not of the form KEY=VALUE")
    if chosen.runs < 1 or chosen.warmups < 0:
        raise ValueError("--runs must be at least 1 and --warmups at least 0")
    path = _path(chosen.output, suite, several=True)
    parse, every = _QUERIES.get(suite, (tuple, ""))
    return Options(
        engines=tuple(load_engine(name.strip()) for name in chosen.engines.split(",")),
        scale=chosen.scale,
        queries=parse(chosen.queries or every),
        pipelines=tuple(name.strip() for name in chosen.pipelines.split(",") if name.strip()),
        runs=chosen.runs,
        warmups=chosen.warmups,
        cores=chosen.cores,
        memory=chosen.memory,
        data=chosen.data.resolve(),
        logs=path.parent / "logs",
        timeout=chosen.timeout,
        deadline=time.monotonic() + chosen.deadline,
        profile=not chosen.no_profile,
        conf={key: value for key, _, value in pairs},
    )


def _path(output: Path | None, suite: str, *, several: bool) -> Path:
    """File for a suite's results; without --output a dated one among those not kept in git."""
    if output is None:
        return Path(".data") / "benchmarks" / f"{time.strftime('%Y%m%d-%H%M%S')}-{suite}.json"
    return (
        output.with_name(f"{output.stem}-{suite}{output.suffix or '.json'}") if several else output
    )


def _print(results: Results) -> None:
    """Print the figures as plain text."""
    names = [engine.name for engine in results.options.engines]
    print(f"\n{results.suite}: best seconds (ratio to {names[0]})")
    print(f"{'':16}" + "".join(f"{name:>22}" for name in names))
    for row in results.summary():
        cells = (_cell(row["engines"].get(name)) for name in names)
        print(f"{row['measurement']:16}" + "".join(f"{cell:>22}" for cell in cells))
    if results.suite in _QUERIES:
        totals = results.totals()
        sums = (
            f"{seconds:.2f} ({totals['ratio'].get(name, 0):.2f}x)"
            for name, seconds in totals["best_s"].items()
        )
        print(f"{'total':16}" + "".join(f"{text:>22}" for text in sums))
    for name, value in results.extra.items():
        print(f"{name}: {value}")
    for error in results.errors:
        print(f"ERROR {error['measurement']} {error['engine']}: {error['error']}")
    print(f"written to {results.path}", flush=True)


def _cell(figures: dict[str, float] | None) -> str:
    if figures is None:
        return "-"
    ratio = figures.get("ratio_best")
    return f"{figures['best_s']:.3f}" + (f" ({ratio:.2f}x)" if ratio is not None else "")


if __name__ == "__main__":
    sys.exit(main())
