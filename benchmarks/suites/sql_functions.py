"""Suite sql_functions: a query for each function of `sql_functions.toml`, over a million rows."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turns import Measured, Turns

from engine import EngineProcess

if TYPE_CHECKING:
    from measurements import Options, Results

_CALLS = Path(__file__).resolve().parent.parent / "sql_functions.toml"
_FORMS = {
    "scalar": "select max({}) from t",
    "aggregate": "select k, {} from t group by k",
    "window": "select max(r) from (select {} as r from t)",
    "query": "{}",
}
_ROWS = 1_000_000
_FILES = 2
_ROW_GROUP = 125_000
_SEED = 11


def statements() -> dict[str, str]:
    """The query of each function's name."""
    kinds = tomllib.loads(_CALLS.read_text(encoding="utf-8"))
    return {
        name: _FORMS[kind].format(call)
        for kind, calls in kinds.items()
        for name, call in calls.items()
    }


def run(options: Options, results: Results) -> None:
    """Warm up, compare and time each query on all engines before the next one."""
    tables = {"t": str(_made_table(options.data / "sql_functions").resolve())}
    queries = statements()
    with ExitStack() as stack:
        turns = Turns(options, results, tables)
        for engine in options.engines:
            log = options.logs / f"sql_functions-{engine.name}.log"
            process = EngineProcess(engine, options.session_conf(), log)
            stack.callback(process.stop)
            turns.start(process)
        for name in options.pipelines or queries:
            if options.late:
                results.add_error(name, "all", "not run: the suite's time is used up")
                continue
            turns.measure(Measured(name, {"do": "run", "sql": queries[name]}))
            results.save()


def _made_table(target: Path) -> Path:
    """Folder of the table, made whole or not at all."""
    import pyarrow.parquet as pq

    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".sql_functions-", dir=target.parent))
    try:
        table = _table()
        for number in range(_FILES):
            part = table.slice(number * _ROWS // _FILES, _ROWS // _FILES)
            pq.write_table(part, partial / f"part-{number}.parquet", row_group_size=_ROW_GROUP)
        partial.chmod(0o755)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _table() -> Any:
    """The columns that `sql_functions.toml` describes; one value in fifty is null."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(_SEED)

    def column(values: Any, kind: pa.DataType | None = None) -> pa.Array:
        array = pa.array(values, mask=random.random(_ROWS) < 1 / 50)
        return array if kind is None else array.cast(kind)

    numbers = _numbers(random)
    texts = _texts(random)
    times = _times(random)
    return pa.table(
        {"k": pa.array(random.integers(0, 1000, _ROWS), pa.int32())}
        | {name: column(*values) for name, values in {**numbers, **texts, **times}.items()}
    )


def _numbers(random: Any) -> dict[str, tuple[Any, ...]]:
    import numpy as np
    import pyarrow as pa

    cents = random.integers(0, 10**9, _ROWS)
    return {
        "i": (random.integers(-100_000, 100_000, _ROWS).astype(np.int32),),
        "n": (random.integers(1, 90, _ROWS).astype(np.int32),),
        "l": (random.integers(1, 10**12, _ROWS),),
        "d": (random.random(_ROWS) * 1000 + 1,),
        "u": (random.random(_ROWS) * 1.999 - 0.9995,),
        "x": (random.random(_ROWS).astype(np.float32),),
        "price": (np.round(cents / 100, 2), pa.decimal128(12, 2)),
        "wide": (np.round(cents / 100, 2), pa.decimal128(30, 6)),
        "b": (random.random(_ROWS) < 0.5,),
        "c": (random.random(_ROWS) < 0.1,),
    }


def _texts(random: Any) -> dict[str, tuple[Any, ...]]:
    import pyarrow as pa

    words = [f"Word number {n} of a text"[: 8 + n % 17] for n in range(5000)]
    digits = [f"{n:08d}" for n in random.integers(0, 10**8, _ROWS)]
    links = [f"https://host{n}.example/path%20{n}?query={n}#ref" for n in range(5000)]
    return {
        "s": ([words[n] for n in random.integers(0, 5000, _ROWS)],),
        "other": ([words[n] for n in random.integers(0, 5000, _ROWS)],),
        "digits": (digits,),
        "number": ([f"{text[:5]}.{text[6:]}" for text in digits],),
        "hex_text": ([f"{int(text):X}" for text in digits],),
        "link": ([links[n] for n in random.integers(0, 5000, _ROWS)],),
        "raw": (digits, pa.binary()),
    }


def _times(random: Any) -> dict[str, tuple[Any, ...]]:
    import numpy as np
    import pyarrow as pa

    micros = random.integers(0, 1_700_000_000, _ROWS) * 1_000_000
    moments = micros.view("datetime64[us]")
    days = random.integers(0, 19_000, _ROWS).astype(np.int32)
    zoned = pa.timestamp("us", "UTC")
    return {
        "day": (days, pa.date32()),
        "later": (days + random.integers(0, 5000, _ROWS).astype(np.int32), pa.date32()),
        "at": (micros, zoned),
        "until": (micros + random.integers(0, 10**12, _ROWS), zoned),
        "local": (micros, pa.timestamp("us")),
        "date_text": ([str(value)[:10] for value in moments],),
        "time_text": ([str(value)[:19].replace("T", " ") for value in moments],),
    }
