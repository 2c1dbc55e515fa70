"""What belongs to a fragment is done once for all of its tasks and streams."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import broadhead
from broadhead.engine import compiled_fragment
from broadhead.engine.run import run
from broadhead.expressions import programs
from broadhead.kernels.load import load_kernels
from broadhead.operators.context import Metrics, Run
from broadhead.worker import fragment_cache
from broadhead.worker.device_half import GpuRun
from broadhead.worker.fragment_cache import FragmentCache
from broadhead.worker.frames import Frame
from broadhead.worker.host_half import HostHalf
from broadhead.worker.sources import TaskSources
from broadhead.worker.task_header import TaskHeader
from broadhead.worker.task_run import run_task
from broadhead.worker.user_functions import placed_functions
from broadhead.worker.user_functions.function_digests import (
    MOST_FUNCTIONS,
    FunctionAnswers,
    FunctionDigests,
)
from broadhead.worker.user_functions.placement import CALLED_ON_HOST
from engine.channels import MemoryChannel
from engine.fragments import MemorySources

OUTPUT = [{"name": "a", "type": "long", "nullable": True}]
SETTINGS = {"device": "cpu", "ansi": True, "timeZone": "UTC", "batchRows": 1000}
A = {"class": "BoundReference", "type": "long", "nullable": True, "ordinal": 0}


def literal(value: int) -> dict[str, Any]:
    return {"class": "Literal", "type": "long", "value": value}


def call(name: str, type_: str, *children: Any, **fields: Any) -> dict[str, Any]:
    return {
        "class": name,
        "type": type_,
        "nullable": True,
        "children": list(children),
        "fields": fields,
    }


def text_of(root: dict[str, Any], **settings: Any) -> str:
    return json.dumps(
        {
            "version": broadhead.__version__,
            "settings": {**SETTINGS, **settings},
            "zones": {},
            "root": root,
        }
    )


def filtered(source: dict[str, Any], least: int = 1) -> dict[str, Any]:
    """a + 1 of the rows with a > least."""
    kept = {
        "op": "Filter",
        "id": 1,
        "output": OUTPUT,
        "children": [source],
        "condition": call("GreaterThan", "boolean", A, literal(least)),
    }
    more = call("Add", "long", A, literal(1), evalMode="ANSI")
    return {"op": "Project", "id": 0, "output": OUTPUT, "children": [kept], "expressions": [more]}


ROWS = {"op": "RowSource", "id": 2, "output": OUTPUT, "children": [], "source": 0}


def task_frames(*values: int, **header: Any) -> list[Frame]:
    message = {"partition": 0, "spillDirectories": [], "splits": {}, **header}
    body = pa.record_batch({"a": pa.array(values, pa.int64())}).serialize()
    return [Frame("T", json.dumps(message).encode()), Frame("A", body), Frame("Z", b"")]


def rows_of(channel: MemoryChannel) -> list[int]:
    schema = pa.schema([("a", pa.int64())])
    batches = [pa.ipc.read_record_batch(f.body, schema) for f in channel.written if f.tag == "A"]
    return [value for batch in batches for value in batch["a"].to_pylist()]


class Counter:
    """A function whose calls are counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
        self.calls = 0
        self._function = getattr(module, name)
        monkeypatch.setattr(module, name, self)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        return self._function(*arguments, **named)


def test_tasks_share_what_is_made_of_a_fragment(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = Counter(monkeypatch, fragment_cache, "decode_fragment")
    pruned = Counter(monkeypatch, compiled_fragment, "prune")
    compiled = Counter(monkeypatch, programs, "compile_program")
    monkeypatch.setattr(fragment_cache, "FRAGMENTS", FragmentCache())
    text = text_of(filtered(ROWS))
    for first in range(3):
        channel = MemoryChannel(task_frames(first, first + 1))
        run_task(text, channel)
        assert rows_of(channel) == [n + 1 for n in (first, first + 1) if n > 1]
    # the filter's program and the projection's
    assert (decoded.calls, pruned.calls, compiled.calls) == (1, 1, 2)


def test_streams_share_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Counter(monkeypatch, programs, "compile_program")
    splits = []
    for number in range(8):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"a": pa.array(range(100), pa.int64())}), path)
        split = {"path": str(path), "start": 0, "length": path.stat().st_size}
        splits.append({**split, "partitionValues": []})
    files = {
        "op": "FileScan",
        "format": "parquet",
        "options": {},
        "id": 2,
        "output": OUTPUT,
        "children": [],
        "filters": [],
        "dataColumns": ["a"],
        "partitionColumns": [],
    }
    partitioning = {"kind": "hash", "partitions": 2, "expressions": [A]}
    root = {"op": "ShuffleWrite", "id": 3, "output": OUTPUT, "children": [filtered(files)]}
    text = text_of({**root, "partitioning": partitioning}, gpuStreams=4)
    found = FragmentCache().get(text, device_functions=False)
    assert found.is_divisible
    shuffle_file = str(tmp_path / "shuffle")
    header = TaskHeader(task_frames(splits={"2": splits}, shuffleFile=shuffle_file)[0])
    sources = TaskSources(found.fragment, header, iter([]), Metrics())
    assert sources.splits(2) is sources.splits(2)
    host = HostHalf(found, header, sources, Metrics(), header.stopped)
    (answer,) = host.outputs(GpuRun(found, load_kernels("arrow"), sources, {}, header))
    assert json.loads(answer.body)["rows"] == 8 * 98
    assert compiled.calls == 3


def test_constants_are_complete_before_they_are_shared_and_used_up_before_they_are_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a GPU, whose streams run their kernels later than they are called."""
    kernels = load_kernels("arrow")
    waited = Counter(monkeypatch, kernels.device, "synchronize")
    found = FragmentCache().get(text_of(filtered(ROWS)), device_functions=False)
    batch = pa.record_batch({"a": pa.array([1, 2], pa.int64())})
    batches = run(found, MemorySources({0: [batch]}), kernels, Run())
    assert next(batches).length == 1
    compiled = waited.calls
    assert compiled == 2
    assert next(batches, None) is None
    assert waited.calls == compiled + 1


def test_threads_compile_a_fragment_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = Counter(monkeypatch, fragment_cache, "decode_fragment")
    cache, text, ready = FragmentCache(), text_of(filtered(ROWS)), Barrier(8)

    def get(_: int) -> object:
        ready.wait()
        return cache.get(text, device_functions=False)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(map(id, pool.map(get, range(8))))) == 1
    assert decoded.calls == 1


def test_few_fragments_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = Counter(monkeypatch, fragment_cache, "decode_fragment")
    cache = FragmentCache()
    texts = [text_of(filtered(ROWS, least)) for least in range(fragment_cache.MOST_FRAGMENTS + 1)]
    for text in texts:
        cache.get(text, device_functions=False)
    cache.get(texts[-1], device_functions=False)
    assert decoded.calls == len(texts)
    cache.get(texts[0], device_functions=False)
    assert decoded.calls == len(texts) + 1
    monkeypatch.setattr(fragment_cache, "MOST_CHARACTERS", len(texts[0]))
    cache.get(texts[0], device_functions=False)
    cache.get(texts[-1], device_functions=False)
    assert decoded.calls == len(texts) + 2


def test_functions_are_placed_once_and_again_when_they_get_other_targets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    placed = Counter(monkeypatch, placed_functions, "with_placed_functions")
    node = {
        "op": "MapInArrow",
        "id": 0,
        "output": OUTPUT,
        "children": [ROWS],
        "inputs": [A],
        "inputNames": ["a"],
        "evalType": 207,
        "calls": [],
        "inputSchema": "{}",
        "profiler": None,
        "conf": {},
    }
    cache, text = FragmentCache(), text_of(node)
    first = cache.get(text, device_functions=False)
    assert first.calls_functions
    assert cache.get(text, device_functions=False) is first
    assert placed.calls == 1
    CALLED_ON_HOST.add(b"the digest of a function")
    assert cache.get(text, device_functions=False) is not first
    CALLED_ON_HOST.add(b"the digest of a function")
    cache.get(text, device_functions=False)
    assert placed.calls == 2


def test_a_fragment_without_functions_imports_nothing_for_them() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from engine.test_fragment_cache import MemoryChannel, ROWS, filtered, task_frames, text_of
before = {{name for name in sys.modules if name.startswith("broadhead.")}}
for name in before:
    del sys.modules[name]
from broadhead.worker.task_run import run_task
from engine.channels import MemoryChannel
from engine.fragments import MemorySources
channel = MemoryChannel(task_frames(1, 2))
run_task(text_of(filtered(ROWS)), channel)
print(channel.tags)
print([name for name in sys.modules if name.startswith("broadhead.worker.user_functions.")])
"""
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split("\n")[:2] == ["AM", "[]"]


def test_functions_are_known_by_few_digests() -> None:
    digests, answers = FunctionDigests(), FunctionAnswers[int]()
    for number in range(MOST_FUNCTIONS + 1):
        digests.add(number.to_bytes(4))
        assert answers.get(number, lambda number=number: number) == number  # type: ignore[misc]
    assert (0).to_bytes(4) not in digests
    assert (1).to_bytes(4) in digests
    assert answers.get(1, lambda: -1) == 1
    assert answers.get(0, lambda: -1) == -1
