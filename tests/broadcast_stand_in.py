"""A server of broadcasts as the JVM has it, for tests of the engine without Spark."""

from __future__ import annotations

import socket
import struct
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

NAME_BYTES = 36
END = -1


class BroadcastServer:
    """Gives the messages of each name in `contents`; `asked` are the names that came."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.contents: dict[str, Sequence[bytes]] = {}
        self.cut: set[str] = set()
        self.asked: list[str] = []

    def add(self, number: int, *messages: bytes, cut: bool = False) -> dict[str, Any]:
        """A broadcast as a task's header has it; with `cut` its end never comes."""
        name = f"{number:0{NAME_BYTES}}"
        self.contents[name] = messages
        if cut:
            self.cut.add(name)
        path = self._listener.getsockname()
        return {"name": name, "bytes": sum(map(len, messages)), "path": path}

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        name = connection.recv(NAME_BYTES, socket.MSG_WAITALL).decode()
        self.asked.append(name)
        if name not in self.contents:
            return
        for message in self.contents[name]:
            connection.sendall(struct.pack(">q", len(message)) + message)
        if name not in self.cut:
            connection.sendall(struct.pack(">q", END))


@contextmanager
def broadcast_server() -> Iterator[BroadcastServer]:
    """A server that ends with the block."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/broadcasts")
        listener.listen()
        server = BroadcastServer(listener)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
