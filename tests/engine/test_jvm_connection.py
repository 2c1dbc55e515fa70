"""Connections to the JVM: one that is slow, and one that has ended without a word."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.files.fetched_file import FetchedFile
from broadhead.operators.context import Metrics
from broadhead.worker import jvm_connection
from broadhead.worker.jvm_connection import JvmConnection
from broadhead.worker.socket_expressions import SocketExpressions
from broadhead.worker.socket_files import SocketFiles
from broadhead.worker.socket_lines import SocketLines

SILENCE = 0.1
ANSWER = bytes(range(256)) * 4


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A socket that takes connections, reads nothing and answers nothing."""
    monkeypatch.setattr(jvm_connection, "SILENCE_SECONDS", SILENCE)
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        name = str(Path(folder, "socket"))
        server.bind(name)
        server.listen()
        yield name


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A socket that answers what it was sent, after some silences."""
    monkeypatch.setattr(jvm_connection, "SILENCE_SECONDS", SILENCE)

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            time.sleep(3 * SILENCE)
            size = 0
            while size < 1 << 22:
                size += len(connection.recv(1 << 16))
            time.sleep(3 * SILENCE)
            connection.sendall(ANSWER)

    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        name = str(Path(folder, "socket"))
        server.bind(name)
        server.listen()
        threading.Thread(target=serve, daemon=True).start()
        yield name


def test_a_patient_connection_waits_for_a_slow_jvm(slow: str) -> None:
    connection = JvmConnection(slow, "values", patient=True)
    connection.send(bytes(1 << 22))
    assert connection.received(len(ANSWER)) == ANSWER
    with pytest.raises(EngineLimit, match="the JVM sends no more values: the connection has ended"):
        connection.received(1)
    connection.close()


def test_another_ends_with_a_silence(path: str) -> None:
    connection = JvmConnection(path, "values")
    with pytest.raises(EngineLimit, match="the JVM sends no more values: timed out"):
        connection.received(1)


def evaluated(path: str) -> None:
    batch = pa.record_batch([pa.array([1])], ["c"])
    SocketExpressions(path).values(0, batch, pa.int64())


def parsed(path: str) -> None:
    SocketLines(path).rows(0, [b"1,2"], pa.schema([("a", pa.int64())]))


def fetched(path: str) -> None:
    files = SocketFiles(path, Metrics())
    opened = FetchedFile(0, "s3a://b/f", 1000, 0, files).open()
    with closing(files), closing(opened):
        opened.wait([(0, 10)])


@pytest.mark.parametrize(
    ("request_of", "error"),
    [(evaluated, EngineLimit), (parsed, EngineLimit), (fetched, OSError)],
)
def test_no_request_outlives_its_socket(path: str, request_of, error) -> None:
    ended: list[str] = []

    def ask() -> None:
        with pytest.raises(error) as raised:
            request_of(path)
        ended.append(str(raised.value))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(3 * SILENCE)
    assert asking.is_alive()
    Path(path).unlink()
    asking.join(20)
    assert "the JVM sends no more" in ended[0]
