"""A task over any channel: what it reads, what it writes, when it stops."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.errors import DeviceLostError
from broadhead.version import VERSION
from broadhead.worker import device_half
from broadhead.worker.frames import Frame
from broadhead.worker.spark_channel import SparkWorkerChannel
from broadhead.worker.task_run import run_task
from engine.channels import MemoryChannel

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = [{"name": "a", "type": "long", "nullable": True}]
SETTINGS = {"device": "cpu", "ansi": True, "timeZone": "UTC", "batchRows": 1}
SOURCE = {"op": "RowSource", "id": 0, "output": OUTPUT, "children": [], "source": 0}
TEXT = json.dumps({"version": VERSION, "settings": SETTINGS, "zones": {}, "root": SOURCE})


def task_frames(*values: int, **header: Any) -> list[Frame]:
    message = {"partition": 0, "spillDirectories": [], "splits": {}, **header}
    bodies = [pa.record_batch({"a": pa.array([v], pa.int64())}).serialize() for v in values]
    return [
        Frame("T", json.dumps(message).encode()),
        *(Frame("A", body) for body in bodies),
        Frame("Z", b""),
    ]


def test_rows_come_before_metrics_and_all_frames_are_read() -> None:
    channel = MemoryChannel(task_frames(1, 2, 3))
    run_task(TEXT, channel)
    assert channel.tags == "AAAM"
    assert channel.read() is None
    assert json.loads(channel.written[-1].body)["0.rows"] == 3


def test_a_task_stops_between_batches_and_reads_the_rest() -> None:
    channel = MemoryChannel(task_frames(*range(10)), wanted=2)
    run_task(TEXT, channel)
    assert channel.tags == "AAM"
    assert channel.read() is None


def test_a_header_that_is_none_is_an_error_frame() -> None:
    channel = MemoryChannel([Frame("Z", b""), Frame("Z", b"")])
    run_task(TEXT, channel)
    assert channel.tags == "EM"
    assert "must be a task header" in json.loads(channel.written[0].body)["reason"]
    assert channel.read() is None


def test_what_the_connection_raises_is_no_error_of_the_task() -> None:
    class Closed(MemoryChannel):
        def write(self, frame: Frame) -> None:
            self.written.append(frame)
            raise BrokenPipeError("the JVM has gone")

    channel = Closed(task_frames(1, 2))
    with pytest.raises(BrokenPipeError):
        run_task(TEXT, channel)
    assert channel.tags == "A"


def test_a_lost_device_is_reported_and_ends_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> Any:
        raise DeviceLostError("this process cannot use the GPU any more: 700")

    monkeypatch.setattr(device_half, "run_on_device", lost)
    channel = MemoryChannel(task_frames(1))
    with pytest.raises(DeviceLostError):
        run_task(TEXT, channel)
    assert channel.tags == "E"
    assert json.loads(channel.written[0].body)["kind"] == "error"


def test_sparks_worker_stops_when_its_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "running"
    file.touch()
    frames = iter(task_frames(running=str(file)))
    channel = SparkWorkerChannel(frames, io.BytesIO())
    assert not channel.stopped()
    assert channel.header().running_file == file
    assert not channel.stopped()
    file.unlink()
    assert channel.stopped()
    last = channel.read()
    assert last is not None
    assert last.tag == "Z"
    assert channel.read() is None
