"""Logs that a JVM reads: a stand-in takes its place, which fails where a JVM may fail."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from broadhead.event_logs.hadoop import HadoopStorage
from broadhead.event_logs.storage import EventLogError

CONTENT = b"event\n" * 100_000


class FileSystem:
    """One that opens any path."""

    def getFileSystem(self, configuration):
        return self

    def open(self, path):
        return CONTENT


def storage(file_output_stream) -> HadoopStorage:
    """Storage with a JVM that opens a named pipe in this way."""

    def copy(source, target, size, close) -> None:
        with target:
            target.write(source)

    found = HadoopStorage({})
    hadoop = SimpleNamespace(
        fs=SimpleNamespace(Path=lambda path: FileSystem()),
        io=SimpleNamespace(IOUtils=SimpleNamespace(copyBytes=copy)),
    )
    found._jvm = SimpleNamespace(
        java=SimpleNamespace(io=SimpleNamespace(FileOutputStream=file_output_stream)),
        org=SimpleNamespace(apache=SimpleNamespace(hadoop=hadoop)),
    )
    found._configuration = None
    return found


def test_the_content_comes_through_the_pipe() -> None:
    with storage(lambda path: Path(path).open("wb")).open("s3a://b/log") as stream:
        assert stream.read() == CONTENT


def test_a_jvm_that_cannot_open_the_pipe_is_an_error() -> None:
    def fails(path: str) -> None:
        raise OSError("no descriptor is left")

    told: list[str] = []

    def read() -> None:
        with (
            pytest.raises(EventLogError) as raised,
            storage(fails).open("s3a://b/log") as stream,
        ):
            stream.read()
        told.append(str(raised.value))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(20)
    assert told == ["Spark cannot read s3a://b/log: no descriptor is left"]


def test_a_reader_may_close_before_the_end() -> None:
    with storage(lambda path: Path(path).open("wb")).open("s3a://b/log") as stream:
        assert stream.read(6) == b"event\n"
