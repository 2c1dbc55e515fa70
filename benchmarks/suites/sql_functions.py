"""Suite sql_functions: a query for each function of `sql_functions.toml`, over a million rows.

Light ones run over five million rows, so that what is measured is not the start of their tasks.

Before the first function of some columns comes a query that only reads them (and groups them, for
aggregates), so that the function's own time can be told from theirs.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turns import Measured, Turns

from engine import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Collection

    from measurements import Options, Results

_CALLS = Path(__file__).resolve().parent.parent / "sql_functions.toml"
_FORMS = {
    "scalar": "select max({}) from t",
    "aggregate": "select k, {} from t group by k",
    "window": "select max(r) from (select {} as r from t)",
    "query": "{}",
}
_BASES = {
    "scalar": ("read", "select {} from t"),
    "aggregate": ("group", "select k, {} from t group by k"),
}
"""Queries that do all but the function."""
_ROWS = 1_000_000
"""Of one part of a table; with a scale factor of 30 there are thirty times as many parts."""
_TABLES = {"t": 1, "many": 5}
"""The tables and how many parts they have: the second one is for queries that start longer than
they run over the first one."""
_LIGHT = 0.7
"""Seconds of such a query."""
_WARM_UP = 20
"""Queries that run before all others, until the JVM has compiled its own code."""
_FILES = 2
_ROW_GROUP = 125_000
_SEED = 11


@dataclass(frozen=True)
class Call:
    """A function's query, and the one that does all but the function."""

    name: str
    text: str
    query: str
    base: str | None
    base_query: str | None

    def of_table(self, table: str) -> Call:
        """The same over another table."""
        query, base_query = (
            text and re.sub(r"\bfrom t\b", f"from {table}", text)
            for text in (self.query, self.base_query)
        )
        base = self.base and f"{self.base} of {table}"
        return replace(self, query=query or self.query, base=base, base_query=base_query)


def calls(columns: Collection[str]) -> list[Call]:
    """The call of each function's name, over a table with these columns."""
    kinds = tomllib.loads(_CALLS.read_text(encoding="utf-8"))
    return [
        Call(name, call, _FORMS[kind].format(call), *_base(kind, call, columns))
        for kind, named in kinds.items()
        for name, call in named.items()
    ]


def _base(kind: str, call: str, columns: Collection[str]) -> tuple[str | None, str | None]:
    if kind not in _BASES:
        return None, None
    verb, query = _BASES[kind]
    words = re.findall(r"\b[a-z_]+\b", re.sub("'[^']*'", "", call))
    used = sorted(set(words) & set(columns))
    return f"{verb} {', '.join(used)}", query.format(", ".join(f"count({name})" for name in used))


def run(options: Options, results: Results) -> None:
    """Warm up, compare and time each query on all engines before the next one."""
    parts = max(1, round(options.scale))
    folders = {
        name: _made_table(options.data / "sql_functions", parts * times)
        for name, times in _TABLES.items()
    }
    results.extra["rows"] = {}
    with ExitStack() as stack:
        views = {name: str(folder.resolve()) for name, folder in folders.items()}
        turns = Turns(options, results, views)
        for engine in options.engines:
            log = options.logs / f"sql_functions-{engine.name}.log"
            process = EngineProcess(engine, options.session_conf(), log)
            stack.callback(process.stop)
            turns.start(process)
        wanted = calls(columns())
        for call in wanted[:_WARM_UP]:
            turns.warm_up(_measured(call))
        for call in wanted:
            if options.pipelines and call.name not in options.pipelines:
                continue
            if options.late:
                results.add_error(call.name, "all", "not run: the suite's time is used up")
                continue
            _measure(call, turns, results, parts * _ROWS)
            results.save()


def _measured(call: Call) -> Measured:
    return Measured(call.name, {"do": "run", "sql": call.query})


def _measure(call: Call, turns: Turns, results: Results, rows: int) -> None:
    """The function's query, over more rows if it is light, and before it its base."""
    seconds = turns.seconds(_measured(call))
    light = seconds < _LIGHT and call.of_table("many") != call
    call = call.of_table("many") if light else call
    rows *= _TABLES["many"] if light else 1
    for name, query in ((call.base, call.base_query), (call.name, call.query)):
        if name is not None and name not in results.extra["rows"]:
            turns.measure(Measured(name, {"do": "run", "sql": query}))
            results.extra["rows"][name] = rows


def _made_table(folder: Path, parts: int) -> Path:
    """Folder of the table of so many parts, made whole or not at all."""
    import pyarrow.parquet as pq

    target = folder / f"parts-{parts}"
    if target.is_dir():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".parts-", dir=folder))
    try:
        table = _table(_ROWS)
        for number in range(_FILES):
            piece = table.slice(number * _ROWS // _FILES, _ROWS // _FILES)
            first = partial / f"part-0-{number}.parquet"
            pq.write_table(piece, first, row_group_size=_ROW_GROUP)
            for part in range(1, parts):
                (partial / f"part-{part}-{number}.parquet").hardlink_to(first)
        partial.chmod(0o755)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def columns() -> list[str]:
    """Names of the table's columns."""
    return list(_table(1).column_names)


def _table(rows: int) -> Any:
    """The columns that `sql_functions.toml` describes; one value in fifty is null."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(_SEED)

    def column(values: Any, kind: pa.DataType | None = None) -> pa.Array:
        array = pa.array(values, mask=random.random(rows) < 1 / 50)
        return array if kind is None else array.cast(kind)

    numbers = _numbers(random, rows)
    texts = _texts(random, rows)
    times = _times(random, rows)
    return pa.table(
        {"k": pa.array(random.integers(0, 1000, rows), pa.int32())}
        | {name: column(*values) for name, values in {**numbers, **texts, **times}.items()}
    )


def _numbers(random: Any, rows: int) -> dict[str, tuple[Any, ...]]:
    import numpy as np
    import pyarrow as pa

    cents = random.integers(0, 10**9, rows)
    return {
        "i": (random.integers(-100_000, 100_000, rows).astype(np.int32),),
        "n": (random.integers(1, 90, rows).astype(np.int32),),
        "l": (random.integers(1, 10**12, rows),),
        "d": (random.random(rows) * 1000 + 1,),
        "u": (random.random(rows) * 1.999 - 0.9995,),
        "x": (random.random(rows).astype(np.float32),),
        "price": (np.round(cents / 100, 2), pa.decimal128(12, 2)),
        "wide": (np.round(cents / 100, 2), pa.decimal128(30, 6)),
        "b": (random.random(rows) < 0.5,),
        "c": (random.random(rows) < 0.1,),
    }


def _texts(random: Any, rows: int) -> dict[str, tuple[Any, ...]]:
    import pyarrow as pa

    words = [f"Word number {n} of a text"[: 8 + n % 17] for n in range(5000)]
    digits = [f"{n:08d}" for n in random.integers(0, 10**8, rows)]
    links = [f"https://host{n}.example/path%20{n}?query={n}#ref" for n in range(5000)]
    return {
        "s": ([words[n] for n in random.integers(0, 5000, rows)],),
        "other": ([words[n] for n in random.integers(0, 5000, rows)],),
        "digits": (digits,),
        "number": ([f"{text[:5]}.{text[6:]}" for text in digits],),
        "hex_text": ([f"{int(text):X}" for text in digits],),
        "link": ([links[n] for n in random.integers(0, 5000, rows)],),
        "raw": (digits, pa.binary()),
    }


def _times(random: Any, rows: int) -> dict[str, tuple[Any, ...]]:
    import numpy as np
    import pyarrow as pa

    micros = random.integers(0, 1_700_000_000, rows) * 1_000_000
    moments = micros.view("datetime64[us]")
    days = random.integers(0, 19_000, rows).astype(np.int32)
    zoned = pa.timestamp("us", "UTC")
    return {
        "day": (days, pa.date32()),
        "later": (days + random.integers(0, 5000, rows).astype(np.int32), pa.date32()),
        "at": (micros, zoned),
        "until": (micros + random.integers(0, 10**12, rows), zoned),
        "local": (micros, pa.timestamp("us")),
        "date_text": ([str(value)[:10] for value in moments],),
        "time_text": ([str(value)[:19].replace("T", " ") for value in moments],),
    }
