"""Numbers of a sample that come over a socket."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from broadhead.errors import EngineLimit
from broadhead.worker.sample_counts import SocketCounts

NUMBERS = [3, 0, 70_000, 1, 2**31 - 1, 5, 0, 2]


@pytest.fixture
def path() -> Iterator[str]:
    """A socket whose other end sends the numbers in odd pieces, and then stops."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        name = str(Path(folder, "counts"))
        server.bind(name)
        server.listen()
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        yield name


def _serve(server: socket.socket) -> None:
    data = np.array(NUMBERS, "<i4").tobytes()
    with suppress(OSError):  # the end of the test closes the server
        while True:
            connection, _ = server.accept()
            with connection, suppress(BrokenPipeError):
                for start in range(0, len(data), 3):
                    connection.sendall(data[start : start + 3])


def test_numbers_come_in_order(path: str) -> None:
    counts = SocketCounts(path)
    taken = [counts.take(rows).to_pylist() for rows in (1, 0, 5, 2)]
    assert [number for part in taken for number in part] == NUMBERS
    counts.close()


def test_a_further_connection_starts_again(path: str) -> None:
    first = SocketCounts(path)
    assert first.take(4).to_pylist() == NUMBERS[:4]
    first.close()
    assert SocketCounts(path).take(4).to_pylist() == NUMBERS[:4]


def test_the_end_of_the_numbers_is_named(path: str) -> None:
    counts = SocketCounts(path)
    with pytest.raises(EngineLimit, match="sends no more sample counts"):
        counts.take(len(NUMBERS) + 1)
