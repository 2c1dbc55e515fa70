"""Suite cached: ten group-by questions over one cached table, engines taking turns.

The table and the questions are those of the group-by task of H2O.ai's db-benchmark
(github.com/h2oai/db-benchmark, MPL 2.0), written anew as SQL of Spark: texts and numbers as keys,
with few and many groups. `--scale 1` are five million rows.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

from turns import Measured, Turns

from engine import EngineProcess

if TYPE_CHECKING:
    from pathlib import Path

    from measurements import Options, Results

_ROWS = 5_000_000
_FILES = 4
_GROUPS = 100

QUESTIONS = {
    "sum by id1": ("sum(v1) AS v1", "id1"),
    "sum by id1, id2": ("sum(v1) AS v1", "id1, id2"),
    "sum, mean by id3": ("sum(v1) AS v1, avg(v3) AS v3", "id3"),
    "means by id4": ("avg(v1) AS v1, avg(v2) AS v2, avg(v3) AS v3", "id4"),
    "sums by id6": ("sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3", "id6"),
    "median, deviation by id4, id5": ("percentile(v3, 0.5) AS v1, stddev(v3) AS v2", "id4, id5"),
    "range by id3": ("max(v1) - min(v2) AS v1", "id3"),
    "correlation by id2, id4": ("pow(corr(v1, v2), 2) AS v1", "id2, id4"),
    "sum, count by six keys": (
        "sum(v3) AS v1, count(*) AS v2",
        "id1, id2, id3, id4, id5, id6",
    ),
}
"""What is computed of which groups."""

_LARGEST = (
    "SELECT v3 FROM (SELECT v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS position "
    "FROM x) WHERE position <= 2"
)


def queries() -> dict[str, str]:
    """SQL of the questions; of their many rows, it returns the number and the sums."""
    found = {}
    for label, (values, keys) in QUESTIONS.items():
        sums = [f"sum({name})" for name in re.findall(r"AS (\w+)", values)]
        inner = f"SELECT {values} FROM x GROUP BY {keys}"
        found[label] = f"SELECT count(*), {', '.join(sums)} FROM ({inner})"
    found["two largest by id6"] = f"SELECT count(*), sum(v3) FROM ({_LARGEST})"
    return found


def run(options: Options, results: Results) -> None:
    """Cache the table in each engine, then compare and time each question."""
    folder = _table(options.data / "cached" / f"sf{options.scale:g}", options.scale)
    with ExitStack() as stack:
        turns = Turns(options, results, {"x": str(folder)}, statements=["CACHE TABLE x"])
        for engine in options.engines:
            log = options.logs / f"cached-{engine.name}.log"
            process = EngineProcess(engine, options.session_conf(), log)
            stack.callback(process.stop)
            turns.start(process)
        for label, sql in queries().items():
            if options.late:
                results.add_error(label, "all", "not run: the suite's time is used up")
                continue
            turns.measure(Measured(label, {"do": "run", "sql": sql}))
            results.save()


def _table(folder: Path, scale: float) -> Path:
    """The table's files, made where they are missing."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    rows = int(_ROWS * scale) // _FILES
    for number in range(_FILES):
        path = folder / f"{number}.parquet"
        if path.is_file():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(number)

        def keys(groups: int, random: np.random.Generator = random) -> pa.Array:
            return pa.array(random.integers(1, groups, rows, dtype=np.int32, endpoint=True))

        def texts(groups: int, digits: int) -> pa.Array:
            names = pa.array([f"id{n:0{digits}}" for n in range(1, groups + 1)])
            return names.take(pc.subtract(keys(groups), 1))

        many = max(_GROUPS, int(_ROWS * scale) // _GROUPS)
        columns = {
            "id1": texts(_GROUPS, 3),
            "id2": texts(_GROUPS, 3),
            "id3": texts(many, 10),
            "id4": keys(_GROUPS),
            "id5": keys(_GROUPS),
            "id6": keys(many),
            "v1": keys(5),
            "v2": keys(15),
            "v3": pa.array(np.round(random.uniform(0, 100, rows), 6)),
        }
        partial = path.with_suffix(".partial")
        pq.write_table(pa.table(columns), partial)
        partial.rename(path)
    return folder.resolve()
