"""The process that has loaded the engine, and of which an executor's Python daemons are copies.

Spark's daemon starts with an application, and each of its workers would import the engine again.
Here the imports happen once in the life of a JVM, and their memory is shared by all workers.

The JVM runs `serve` and gives Spark a script as the interpreter, which asks for a copy
(`fork_client`). A request has the three standard streams, a count of texts and, each behind its
length, the texts: the current directory, the number of arguments, the arguments, the environment.
The answer is the copy's process ID, or 0 if its environment has other variables that libraries
read while they are loaded.
"""

from __future__ import annotations

import gc
import importlib
import os
import runpy
import select
import shutil
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from broadhead.worker import latency
from broadhead.worker.ready import import_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

# A client sends its request at once; one that does not must not stop the others.
_SECONDS = 5.0
_STREAMS = 3
_CUT_OFF = "the request ended early"

# Of Spark's protocol, of the engine's tasks and of a device that no copy has used yet.
_READ_LATER = ("BROADHEAD_", "CUDA_", "NVIDIA_", "PYSPARK_", "PYTHON_", "SPARK_")

_IMPORTED = ("pyspark.worker",)


class Request(NamedTuple):
    """What a daemon is started with: its module and arguments, and what it inherits."""

    streams: Sequence[int]
    directory: bytes
    arguments: list[str]
    environment: dict[bytes, bytes]


def serve(directory: Path, path: Sequence[str]) -> None:
    """Serve the socket `fork` in a directory, which ends with this process, until stdin ends.

    Prints `ready` once daemons can connect. `path` is that of Python's modules for the copies.
    """
    os.setpgid(0, 0)
    _load()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(bytes(directory / "fork"))
        listener.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        watched = [0, listener.fileno()]
        while 0 not in (waiting := select.select(watched, [], [])[0]) or os.read(0, 1):
            if listener.fileno() in waiting:
                with listener.accept()[0] as connection:
                    _answer(connection, listener, path)
    shutil.rmtree(directory, ignore_errors=True)


def _load() -> None:
    latency.install()
    import_engine()
    for module in _IMPORTED:
        importlib.import_module(module)
    os.register_at_fork(after_in_child=_draw_others)
    # The pages of objects that no collection visits stay shared.
    gc.collect()
    gc.freeze()


def _draw_others() -> None:
    """Seed NumPy's random numbers anew, which would be the same in all copies; Python does."""
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def _answer(connection: socket.socket, listener: socket.socket, path: Sequence[str]) -> None:
    connection.settimeout(_SECONDS)
    streams: Sequence[int] = ()
    try:
        header, streams, _, _ = socket.recv_fds(connection, 4, _STREAMS)
        request = _read(connection, header, streams)
        fits = _when_loaded(request.environment) == _when_loaded(dict(os.environb))
        child = os.fork() if fits else 0
        if fits and child == 0:
            listener.close()
            _become_daemon(connection, request, path)
        connection.sendall(struct.pack("!i", child))
    except (OSError, EOFError):
        # The client ends, or becomes the interpreter itself.
        return
    finally:
        for stream in streams:
            os.close(stream)


def _when_loaded(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    later = tuple(prefix.encode() for prefix in _READ_LATER)
    return {name: value for name, value in environment.items() if not name.startswith(later)}


def _read(connection: socket.socket, header: bytes, streams: Sequence[int]) -> Request:
    if len(header) < 4 or len(streams) < _STREAMS:
        raise EOFError(_CUT_OFF)
    (count,) = struct.unpack("!I", header)
    directory, number, *texts = [_text(connection) for _ in range(count)]
    arguments, variables = texts[: int(number)], texts[int(number) :]
    pairs = (text.partition(b"=") for text in variables)
    return Request(
        streams,
        directory,
        [os.fsdecode(text) for text in arguments],
        {name: value for name, _, value in pairs},
    )


def _text(connection: socket.socket) -> bytes:
    (length,) = struct.unpack("!I", _exactly(connection, 4))
    return _exactly(connection, length)


def _exactly(connection: socket.socket, length: int) -> bytes:
    parts = []
    while length:
        part = connection.recv(length)
        if not part:
            raise EOFError(_CUT_OFF)
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _become_daemon(connection: socket.socket, request: Request, path: Sequence[str]) -> NoReturn:
    """Run the daemon's module as its own interpreter would."""
    code = 1
    try:
        # The client waits for the end of the connection: that of the daemon, not of its workers.
        os.register_at_fork(after_in_child=connection.close)
        for number, stream in enumerate(request.streams):
            os.dup2(stream, number)
            os.close(stream)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.chdir(request.directory)
        os.environb.clear()
        os.environb.update(request.environment)
        sys.path[:] = path
        sys.argv = request.arguments
        runpy.run_module(request.arguments[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except BaseException:
        # As an interpreter prints what ends it.
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)
    raise AssertionError
