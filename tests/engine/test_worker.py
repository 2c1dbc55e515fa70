"""The worker's side of a task: frames in, frames out, whatever goes wrong."""

from __future__ import annotations

import io
import json
import socket
import struct
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pytest

from broadhead.version import VERSION
from broadhead.worker import task
from broadhead.worker.frames import HEADER_BYTES, Frame, FrameDeserializer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LONGS = [{"name": "a", "type": "long", "nullable": True}]
ARROW_CONTINUATION = b"\xff\xff\xff\xff"
SCHEMA = pa.schema([("a", pa.int64())])
SETTINGS = {"device": "cpu", "ansi": True, "timeZone": "UTC", "batchRows": 100}


def fragment(expression: dict[str, Any]) -> str:
    source = {"op": "RowSource", "id": 1, "output": LONGS, "children": [], "source": 0}
    root = {
        "op": "Project",
        "id": 0,
        "output": LONGS,
        "children": [source],
        "expressions": [expression],
    }
    message = {"version": VERSION, "settings": SETTINGS, "zones": {}, "root": root}
    return json.dumps(message)


def arithmetic(name: str, right: int) -> dict[str, Any]:
    a = {"class": "BoundReference", "ordinal": 0, "type": "long", "nullable": True}
    literal = {"class": "Literal", "type": "long", "value": right}
    return {
        "class": name,
        "type": "long",
        "nullable": True,
        "fields": {"evalMode": "ANSI"},
        "children": [a, literal],
    }


def task_frames(folder: Path, values: list[int], *, running: bool = True) -> list[Frame]:
    file = folder / "running"
    if running:
        file.touch()
    header = {"partition": 0, "running": str(file), "spillDirectories": [], "splits": {}}
    body = pa.record_batch({"a": pa.array(values, pa.int64())}).serialize()
    return [Frame("T", json.dumps(header).encode()), Frame("A", body), Frame("Z", b"")]


def answer(text: str, frames: Iterable[Frame]) -> tuple[list[int], dict[str, int], dict[str, Any]]:
    """Values, metrics and error of a task that is run through both directions of the wire."""
    wire = io.BytesIO()
    task.SERIALIZER.dump_stream(task.make(text)(0, iter(list(frames))), wire)
    values: list[int] = []
    last: dict[str, Any] = {"M": {}, "E": {}}
    data = memoryview(wire.getvalue())
    while data:
        (length,) = struct.unpack(">i", data[:4])
        frame, data = data[4 : 4 + length], data[4 + length :]
        if frame[:4] == ARROW_CONTINUATION:
            batch = pa.ipc.read_record_batch(pa.py_buffer(frame), SCHEMA)
            values += batch.column(0).to_pylist()
        else:
            last[chr(frame[0])] = json.loads(bytes(frame[HEADER_BYTES:]))
    return values, last["M"], last["E"]


def test_batches_go_through(tmp_path: Path) -> None:
    frames = task_frames(tmp_path, [1, 2, 3])
    values, metrics, error = answer(fragment(arithmetic("Add", 10)), frames)
    assert values == [11, 12, 13]
    assert metrics["0.rows"] == metrics["1.rows"] == 3
    assert error == {}
    assert [path.name for path in tmp_path.iterdir()] == ["running"]


def test_a_row_that_would_raise_asks_for_replay(tmp_path: Path) -> None:
    frames = task_frames(tmp_path, [2**63 - 1])
    values, metrics, error = answer(fragment(arithmetic("Add", 10)), frames)
    assert values == []
    assert error["kind"] == "replay"
    assert error["reason"] == "WouldRaise: ARITHMETIC_OVERFLOW"
    assert metrics


@pytest.mark.parametrize(("limit", "given"), [(1 << 20, []), (8, [11, 12])])
def test_batches_are_held_back_up_to_a_limit(tmp_path: Path, limit: int, given: list[int]) -> None:
    batches = [pa.record_batch({"a": pa.array([v], pa.int64())}) for v in (1, 2, 2**63 - 1)]
    frames = task_frames(tmp_path, [])
    header = json.loads(frames[0].body) | {"heldBack": True}
    text = json.loads(fragment(arithmetic("Add", 10)))
    text["settings"] = SETTINGS | {"operatorMemory": limit, "batchRows": 1}
    values, _, error = answer(
        json.dumps(text),
        [
            Frame("T", json.dumps(header).encode()),
            *(Frame("A", batch.serialize()) for batch in batches),
            frames[-1],
        ],
    )
    assert error["kind"] == "replay"
    assert values == given


def test_what_is_not_known_asks_for_replay(tmp_path: Path) -> None:
    frames = task_frames(tmp_path, [1])
    _, _, error = answer(fragment(arithmetic("Frobnicate", 1)), frames)
    assert error["kind"] == "replay"
    assert "Frobnicate" in error["reason"]


def test_a_defect_is_reported_with_its_traceback(tmp_path: Path) -> None:
    broken = arithmetic("Add", 1)
    broken["children"] = broken["children"][:1]
    _, _, error = answer(fragment(broken), task_frames(tmp_path, [1]))
    assert error["kind"] == "error"
    assert "Traceback" in error["traceback"]


def test_a_jar_of_another_version_is_named_with_the_remedy(tmp_path: Path) -> None:
    message = json.loads(fragment(arithmetic("Add", 1))) | {"version": "0.0.7"}
    _, _, error = answer(json.dumps(message), task_frames(tmp_path, [1]))
    assert error["reason"] == (
        "Unsupported: the plugin's jar is Broadhead 0.0.7, the workers' Python package is "
        f"{VERSION}: install the same version of both"
    )


def test_a_task_ends_when_its_file_is_gone(tmp_path: Path) -> None:
    frames = task_frames(tmp_path, [1, 2], running=False)
    values, metrics, error = answer(fragment(arithmetic("Add", 1)), frames)
    assert (values, error) == ([], {})
    assert "0.rows" not in metrics


@pytest.mark.parametrize("mode", ["rb", "rwb"])  # of a daemon's worker, and of one without it
def test_frames_are_read_up_to_the_end_of_the_data(mode: Literal["rb", "rwb"]) -> None:
    body = b"x" * 5
    payload = Frame("A", body, 3).header() + body
    stream = struct.pack(">i", len(payload)) + payload + struct.pack(">i", -1) + b"rest"

    near, far = socket.socketpair()
    with near, far:
        far.sendall(stream)
        far.shutdown(socket.SHUT_WR)
        connection = near.makefile(mode)
        (frame,) = FrameDeserializer().load_stream(connection)
        assert (frame.tag, frame.source, bytes(frame.body)) == ("A", 3, body)
        assert connection.read() == b"rest"
        connection.close()
