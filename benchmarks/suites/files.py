"""Suite files: scans of formats and stores, and writes, over TPC-H's tables."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turns import Measured, Turns

from broadhead.demo.data import make_data
from engine import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from measurements import Options, Results

PIPELINES = (
    "local_scan", "store_scan", "csv_scan", "few_columns_of_csv", "json_scan", "orc_scan",
    "write_join", "write_partitions", "write_csv", "write_json",
)  # fmt: skip
"""The functions of `file_pipelines`, which runs in the process of each engine."""

FILES_AT_ONCE = 6

_TESTS = Path(__file__).resolve().parents[2] / "tests"


def run(options: Options, results: Results) -> None:
    """Make the files, then compare and time each pipeline on all engines before the next one."""
    data = make_data(options.data / "tpch", options.scale).resolve()
    names = options.pipelines or PIPELINES
    kinds = [kind for kind in ("csv", "json", "orc") if any(_reads(name, kind) for name in names)]
    copies = _copies(data, options.data / "files" / f"sf{options.scale:g}", kinds)
    store = _store() if "store_scan" in names else {}
    with ExitStack() as stack:
        turns = Turns(options, results, {})
        for engine in options.engines:
            conf = {**options.session_conf(), **store}
            process = EngineProcess(engine, conf, options.logs / f"files-{engine.name}.log")
            stack.callback(process.stop)
            turns.start(process)
        for name in names:
            if options.late:
                results.add_error(name, "all", "not run: the suite's time is used up")
                continue
            request = {"do": "file_pipeline", "name": name, "data": str(data)}
            request["folder"] = str(copies)
            turns.measure(Measured(name, request))
            results.save()


def _store() -> dict[str, str]:
    """The settings of the tests' file system, whose jar is compiled where it is missing."""
    sys.path.insert(0, str(_TESTS))
    jar = import_module("store_jar").store_jar()
    return {
        "spark.driver.extraClassPath": str(jar),
        "spark.hadoop.fs.store.impl": "io.broadhead.store.StoreFileSystem",
        "spark.hadoop.fs.store.impl.disable.cache": "true",
    }


def _reads(pipeline: str, kind: str) -> bool:
    return kind in pipeline.split("_") and not pipeline.startswith("write_")


def _copies(data: Path, folder: Path, kinds: Sequence[str]) -> Path:
    """The folder of lineitem in some formats, a file of each for each Parquet file."""
    for kind in kinds:
        if (folder / kind).is_dir():
            continue
        partial = folder / f".{kind}"
        partial.mkdir(parents=True, exist_ok=True)
        # Each file is held in memory.
        with ThreadPoolExecutor(FILES_AT_ONCE) as pool:
            copies = [
                pool.submit(_copy, path, kind, str(partial / f"{path.stem}.{kind}"))
                for path in sorted((data / "lineitem").glob("*.parquet"))
            ]
            for copy in copies:
                copy.result()
        partial.rename(folder / kind)
    return folder


def _copy(path: Path, kind: str, target: str) -> None:
    import pyarrow.csv
    import pyarrow.orc
    import pyarrow.parquet as pq

    table = _with_plain_texts(pq.read_table(path))
    if kind == "csv":
        pyarrow.csv.write_csv(table, target, pyarrow.csv.WriteOptions(quoting_style="needed"))
    elif kind == "json":
        _write_json(table, target)
    else:
        pyarrow.orc.write_table(table, target, compression="zstd")


def _write_json(table: pa.Table, target: str) -> None:
    """JSON lines; the texts of TPC-H have no character that needs an escape."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pieces: list[Any] = []
    for number, field in enumerate(table.schema):
        quote = "" if pa.types.is_integer(field.type) or pa.types.is_decimal(field.type) else '"'
        pieces += [f'{"," if number else "{"}"{field.name}":{quote}', field.name, quote]
    with Path(target).open("wb") as file:
        for batch in table.to_batches(max_chunksize=1 << 16):
            texts = [
                batch.column(piece).cast(pa.string()) if piece in batch.schema.names else piece
                for piece in [*pieces, "}\n"]
            ]
            lines = pc.binary_join_element_wise(*texts, "")
            file.write("".join(lines.to_pylist()).encode())


def _with_plain_texts(table: pa.Table) -> pa.Table:
    """Views of texts as texts, since the writers take no views."""
    import pyarrow as pa

    for number, field in enumerate(table.schema):
        if pa.types.is_string_view(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(pa.string()))
    return table
