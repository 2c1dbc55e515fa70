"""Tasks that write and read shuffles and broadcasts, through the worker's frames."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadcast_stand_in import BroadcastServer, broadcast_server
from broadhead.operators.divide import is_divisible
from broadhead.operators.exchange.broadcast_cache import CACHE, BroadcastCache
from broadhead.plan import exchanges, joins, nodes
from broadhead.types import LONG
from broadhead.version import VERSION
from broadhead.worker.frames import Frame
from broadhead.worker.task_run import run_task
from engine.channels import MemoryChannel
from engine.fragments import attributes, column, scan

OUTPUT = [
    {"name": "a", "type": "long", "nullable": True},
    {"name": "b", "type": "string", "nullable": True},
    {"name": "c", "type": "decimal(10,2)", "nullable": True},
]
SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.string()), ("c", pa.decimal128(10, 2))])
SETTINGS = {"device": "cpu", "ansi": True, "timeZone": "UTC", "batchRows": 100}


def fragment(root: dict[str, Any], settings: dict[str, Any] = SETTINGS) -> str:
    message = {"version": VERSION, "settings": settings, "zones": {}, "root": root}
    return json.dumps(message)


def reference(ordinal: int) -> dict[str, Any]:
    return {
        "class": "BoundReference",
        "ordinal": ordinal,
        "type": OUTPUT[ordinal]["type"],
        "nullable": True,
    }


def write_fragment(partitioning: dict[str, Any], settings: dict[str, Any] = SETTINGS) -> str:
    source = {"op": "RowSource", "id": 1, "output": OUTPUT, "children": [], "source": 0}
    root = {"op": "ShuffleWrite", "id": 0, "output": OUTPUT, "children": [source]}
    return fragment({**root, "partitioning": partitioning}, settings)


def read_fragment(op: str, output: list[dict[str, Any]] = OUTPUT, **fields: Any) -> str:
    return fragment({"op": op, "id": 0, "output": output, "children": [], "source": 2, **fields})


def header(folder: Path, **fields: Any) -> Frame:
    message = {
        "partition": 0,
        "spillDirectories": [str(folder)],
        "splits": {},
        **fields,
    }
    return Frame("T", json.dumps(message).encode())


def rows(start: int, length: int) -> pa.RecordBatch:
    numbers = list(range(start, start + length))
    texts = [None if n % 5 == 0 else f"text {n}" for n in numbers]
    return pa.RecordBatch.from_arrays(
        [pa.array(numbers), pa.array(texts), pa.array(numbers, pa.decimal128(10, 2))],
        schema=SCHEMA,
    )


def answers(text: str, frames: list[Frame], schema: pa.Schema = SCHEMA) -> dict[str, list[Any]]:
    """The bodies of the answers by tag: rows of `A`, decoded JSON of the others."""
    found: dict[str, list[Any]] = {"A": [], "S": [], "M": [], "E": []}
    channel = MemoryChannel(frames)
    run_task(text, channel)
    for frame in channel.written:
        if frame.tag == "A":
            batch = pa.ipc.read_record_batch(pa.py_buffer(frame.body), schema)
            found["A"] += zip(*(c.to_pylist() for c in batch.columns), strict=True)
        else:
            found[frame.tag].append(json.loads(bytes(frame.body)))
    return found


HASH = {"kind": "hash", "partitions": 3, "expressions": [reference(0)]}
ASCENDING = {"expression": reference(0), "ascending": True, "nullsFirst": True}
PARTITIONINGS = [
    HASH,
    {"kind": "range", "partitions": 3, "order": [ASCENDING], "bounds": [[99], [200]]},
    {"kind": "roundRobin", "partitions": 3},
    {"kind": "single", "partitions": 1},
]


def written(folder: Path, partitioning: dict[str, Any], **settings: Any) -> dict[str, Any]:
    frames = [header(folder, shuffleFile=str(folder / "shuffle"))]
    frames += [Frame("A", rows(start, 150).serialize()) for start in (0, 150)]
    frames.append(Frame("Z", b""))
    found = answers(write_fragment(partitioning, {**SETTINGS, **settings}), frames)
    assert (found["A"], found["E"]) == ([], [])
    (answer,) = found["S"]
    assert answer["rows"] == 300
    assert answer["dataSize"] == sum(
        32 + (0 if n % 5 == 0 else 8 * (len(f"text {n}") + 7 >> 3)) for n in range(300)
    )
    assert found["M"][0]["0.bytesWritten"] == sum(answer["lengths"])
    assert ("0.spilledBytes" in found["M"][0]) == ("operatorMemory" in settings)
    return dict(answer)


@pytest.mark.parametrize("partitioning", PARTITIONINGS, ids=lambda p: p["kind"])
@pytest.mark.parametrize("settings", [{}, {"operatorMemory": 1000}], ids=["memory", "spill"])
def test_what_a_task_writes_another_reads(
    tmp_path: Path, partitioning: dict[str, Any], settings: dict[str, Any]
) -> None:
    lengths = written(tmp_path, partitioning, **settings)["lengths"]
    assert len(lengths) == partitioning["partitions"]
    found: list[Any] = []
    start = 0
    content = (tmp_path / "shuffle").read_bytes()
    for length in lengths:
        segment = {"path": str(tmp_path / "shuffle"), "offset": start, "length": length}
        local = header(tmp_path, shuffles={"2": [segment]})
        frames = [local, Frame("Z", b"", 2)]
        here = answers(read_fragment("ShuffleRead"), frames)
        frames = [header(tmp_path), Frame("B", content[start : start + length], 2)]
        there = answers(read_fragment("ShuffleRead"), [*frames, Frame("Z", b"", 2)])
        assert here["A"] == there["A"]
        assert here["E"] == []
        found += here["A"]
        start += length
    expected = [
        row
        for n in (0, 150)
        for row in zip(*(c.to_pylist() for c in rows(n, 150).columns), strict=True)
    ]
    assert sorted(found) == sorted(expected)
    assert {p.name for p in tmp_path.iterdir()} == {"shuffle"}


def test_damage_is_told_with_its_place(tmp_path: Path) -> None:
    lengths = written(tmp_path, HASH)["lengths"]
    path = tmp_path / "shuffle"
    content = bytearray(path.read_bytes())
    content[lengths[0] + 30] ^= 1
    path.write_bytes(content)
    segment = {"path": str(path), "offset": lengths[0], "length": lengths[1]}
    frames = [header(tmp_path, shuffles={"2": [segment]}), Frame("Z", b"", 2)]
    (error,) = answers(read_fragment("ShuffleRead"), frames)["E"]
    assert (error["kind"], error["path"], error["offset"]) == ("shuffle", str(path), lengths[0])
    frames = [header(tmp_path), Frame("B", bytes(content[lengths[0] :]), 2)]
    (error,) = answers(read_fragment("ShuffleRead"), frames)["E"]
    assert (error["kind"], error["path"], error["offset"]) == ("shuffle", None, 0)


def test_rows_of_two_shuffles_do_not_mix(tmp_path: Path) -> None:
    length = sum(written(tmp_path, {"kind": "single", "partitions": 1})["lengths"])
    content = (tmp_path / "shuffle").read_bytes()
    assert len(content) == length
    frames = [header(tmp_path), Frame("B", b"nobody reads this", 1), Frame("Z", b"", 1)]
    frames += [Frame("B", content, 2), Frame("B", content, 2), Frame("Z", b"", 2)]
    assert len(answers(read_fragment("ShuffleRead"), frames)["A"]) == 600


@pytest.fixture
def server() -> Iterator[BroadcastServer]:
    """What stands in for the JVM; what the process knows of broadcasts is forgotten."""
    CACHE.keep([])
    with broadcast_server() as made:
        yield made


def messages(*batches: pa.RecordBatch) -> list[bytes]:
    return [bytes(batch.serialize()) for batch in batches]


def read_by(
    folder: Path, broadcast: dict[str, Any], live: Sequence[str] | None = None
) -> dict[str, list[Any]]:
    """The answers of a task that reads a broadcast; `live` are the names in its header."""
    names = [broadcast["name"]] if live is None else live
    task_header = header(folder, broadcasts={"2": broadcast}, liveBroadcasts=names)
    return answers(read_fragment("BroadcastRead", rowIds=False), [task_header])


def test_a_broadcast_is_read(tmp_path: Path, server: BroadcastServer) -> None:
    some = server.add(1, *messages(rows(0, 70), rows(70, 70), rows(140, 250)))
    none = server.add(2)
    for broadcast, count in ((some, 390), (none, 0)):
        found = read_by(tmp_path, broadcast)
        assert found["E"] == []
        assert [row[0] for row in found["A"]] == list(range(count))


def test_a_broadcast_that_does_not_come_whole_is_replayed(
    tmp_path: Path, server: BroadcastServer
) -> None:
    content = messages(rows(0, 70), rows(70, 70))
    cut = server.add(1, *content, cut=True)
    unknown = server.add(2) | {"name": f"{3:036}"}
    closed = server.add(4, *content) | {"path": str(tmp_path / "closed")}
    for broadcast in (cut, unknown, closed):
        found = read_by(tmp_path, broadcast)
        assert [error["kind"] for error in found["E"]] == ["replay"]
        assert found["A"] == []
    # and nothing of it stays
    server.cut.clear()
    assert len(read_by(tmp_path, cut)["A"]) == 140


def test_a_worker_asks_once_while_the_broadcast_lives(
    tmp_path: Path, server: BroadcastServer
) -> None:
    first, second = (server.add(n, *messages(rows(n, 70))) for n in (1, 2))
    names = [first["name"], second["name"]]
    for broadcast in (first, second, first):
        assert len(read_by(tmp_path, broadcast, names)["A"]) == 70
    assert server.asked == names
    # the first has ended: its rows go, the second one's stay
    assert len(read_by(tmp_path, second)["A"]) == 70
    assert server.asked == names
    assert len(read_by(tmp_path, first, names)["A"]) == 70
    assert server.asked == [*names, names[0]]


def test_other_columns_of_a_broadcast_need_no_second_transfer(
    tmp_path: Path, server: BroadcastServer
) -> None:
    broadcast = server.add(1, *messages(rows(0, 70)))
    assert len(read_by(tmp_path, broadcast)["A"]) == 70
    place = {"name": "place", "type": "long", "nullable": False}
    text = read_fragment("BroadcastRead", [*OUTPUT, place], rowIds=True)
    frames = [header(tmp_path, broadcasts={"2": broadcast}, liveBroadcasts=[broadcast["name"]])]
    found = answers(text, frames, SCHEMA.append(pa.field("place", pa.int64())))
    assert len(found["A"]) == 70
    assert server.asked == [broadcast["name"]]


def test_rows_of_a_broadcast_know_their_ids(tmp_path: Path, server: BroadcastServer) -> None:
    broadcast = server.add(1, *messages(rows(500, 70), rows(0, 0), rows(0, 250)))
    place = {"name": "place", "type": "long", "nullable": False}
    text = read_fragment("BroadcastRead", [*OUTPUT, place], rowIds=True)
    frames = [header(tmp_path, broadcasts={"2": broadcast})]
    found = answers(text, frames, SCHEMA.append(pa.field("place", pa.int64())))
    assert [row[-1] for row in found["A"]] == list(range(320))
    assert [row[0] for row in found["A"]] == [*range(500, 570), *range(250)]


def test_broadcasts_are_loaded_once_and_kept_within_a_limit() -> None:
    cache = BroadcastCache()
    loads: list[str] = []

    def get(key: str, size: int) -> Any:
        def load() -> Any:
            loads.append(key)
            return (key, key)

        return cache.get((key, None), load, lambda _: size, 100)

    assert get("a", 20) == get("a", 20) == ("a", "a")
    assert loads == ["a"]
    get("b", 40)
    get("a", 20)
    assert loads == ["a", "b", "a"]
    get("c", 60)
    assert get("c", 60) == ("c", "c")
    assert loads == ["a", "b", "a", "c", "c"]


def test_a_load_that_fails_is_tried_again() -> None:
    cache = BroadcastCache()

    def fail() -> Any:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        cache.get(("a", None), fail, lambda _: 1, 100)
    assert cache.get(("a", None), lambda: (1,), lambda _: 1, 100) == (1,)


def test_shuffles_of_scans_are_divided_unless_they_count_rows(tmp_path: Path) -> None:
    files = scan(2, a=LONG)

    def write(child: nodes.Node, partitioning: exchanges.Partitioning) -> nodes.Node:
        return exchanges.ShuffleWrite(
            id=0, output=child.output, children=(child,), partitioning=partitioning
        )

    hashed = exchanges.HashPartitioning(3, (column(0, LONG),))
    blocks = exchanges.ShuffleRead(
        id=1, output=attributes(a=LONG), children=(), source=0, types=(LONG,), wanted=(0,)
    )
    assert is_divisible(write(files, hashed))
    assert is_divisible(write(files, exchanges.SinglePartition()))
    assert not is_divisible(write(files, exchanges.RoundRobinPartitioning(3)))
    assert not is_divisible(write(blocks, hashed))


def test_joins_are_divided_where_the_build_side_is_a_broadcast() -> None:
    files = scan(2, a=LONG)
    small = exchanges.BroadcastRead(
        id=1, output=attributes(b=LONG), children=(), source=0, types=(LONG,), wanted=(0,)
    )

    def divided(join_type: Any, build_side: Any, *children: nodes.Node) -> bool:
        join = joins.HashJoin(
            id=3,
            output=attributes(a=LONG, b=LONG),
            children=children,
            join_type=join_type,
            build_side=build_side,
            condition=None,
            left_keys=(column(0, LONG),),
            right_keys=(column(0, LONG),),
            null_aware=False,
        )
        return is_divisible(
            exchanges.ShuffleWrite(
                id=0,
                output=join.output,
                children=(join,),
                partitioning=exchanges.SinglePartition(),
            )
        )

    for join_type in ("Inner", "LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"):
        assert divided(join_type, "right", files, small)
        assert not divided(join_type, "right", small, files)
    for join_type in ("Inner", "RightOuter"):
        assert divided(join_type, "left", small, files)
    for join_type in ("RightOuter", "FullOuter"):
        assert not divided(join_type, "right", files, small)
    for join_type in ("LeftOuter", "FullOuter", "LeftSemi"):
        assert not divided(join_type, "left", small, files)


def test_streams_write_one_file(tmp_path: Path) -> None:
    from broadhead.engine.compiled_fragment import compile_fragment
    from broadhead.kernels.load import load_kernels
    from broadhead.operators.context import Metrics
    from broadhead.plan.decode import decode_fragment
    from broadhead.worker.device_half import GpuRun
    from broadhead.worker.host_half import HostHalf
    from broadhead.worker.sources import TaskSources
    from broadhead.worker.task_header import TaskHeader

    splits = []
    for number in range(6):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.Table.from_batches([rows(100 * number, 100)]), path)
        split = {"path": str(path), "start": 0, "length": path.stat().st_size}
        splits.append({**split, "partitionValues": []})
    files = {
        "op": "FileScan",
        "format": "parquet",
        "options": {},
        "id": 1,
        "output": OUTPUT,
        "children": [],
        "filters": [],
    }
    files |= {"dataColumns": ["a", "b", "c"], "partitionColumns": []}
    root = {"op": "ShuffleWrite", "id": 0, "output": OUTPUT, "children": [files]}
    compiled = compile_fragment(decode_fragment(fragment({**root, "partitioning": HASH})))
    frame = header(tmp_path, shuffleFile=str(tmp_path / "shuffle"), splits={"1": splits})
    head, metrics = TaskHeader(frame), Metrics()
    sources = TaskSources(compiled.fragment, head, iter([]), metrics)
    host = HostHalf(compiled, head, sources, metrics, head.stopped)
    (answer,) = host.outputs(GpuRun(compiled, load_kernels("arrow"), sources, {}, head))
    assert answer.tag == "S"
    result = json.loads(answer.body)
    assert (result["rows"], metrics.values["1.rows"]) == (600, 600)
    assert sum(result["lengths"]) == (tmp_path / "shuffle").stat().st_size
