"""The tasks of one executor, each a thread with a stream of its own."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from broadhead.device.idle import Idle
from broadhead.device.warm_up import warm_up
from broadhead.errors import DeviceLostError
from broadhead.kernels import gpu_memory
from broadhead.kernels.load import load_kernels
from broadhead.operators.kept_blocks import KEPT
from broadhead.operators.spill.spill_directory import SpillDirectory
from broadhead.worker import allocations, latency
from broadhead.worker.device import gpu_available
from broadhead.worker.frames import END_OF_DATA, FrameDeserializer
from broadhead.worker.ready import import_engine
from broadhead.worker.spark_channel import SparkWorkerChannel
from broadhead.worker.task_run import run_task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RUN, WRITE_FILE, RELEASE = b"R", b"F", b"M"
"""What a connection asks for: see docs/wire-format.md, section 6."""

_LENGTH = struct.Struct(">i")
_WAITING = 128
_SWITCH_SECONDS = 0.0005


def serve(path: Path, disks: Sequence[str]) -> None:
    """Answer each connection on a thread, for the life of the process.

    Kept rows that memory has no room for are in files in the directories `disks`.
    """
    allocations.keep_freed_memory()
    gpu_memory.only_process = True
    _import_all()
    # a thread that returns from a call waits this long for one that computes in Python
    sys.setswitchinterval(_SWITCH_SECONDS)
    with (
        SpillDirectory(disks) as directory,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener,
    ):
        KEPT.directory = directory
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_WAITING)
        threading.Thread(target=_warm_up, daemon=True).start()
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _import_all() -> None:
    """Import what tasks need: threads that import at the same time could see unfinished modules."""
    import_engine()
    if gpu_available():
        load_kernels("cudf")
    # a collection would walk the objects of all modules, and every thread would wait for it
    latency.freeze()


def _warm_up() -> None:
    """First uses of the GPU, while the program still opens its tables."""
    if gpu_available():
        warm_up(load_kernels("cudf"))


def _answer(connection: socket.socket) -> None:
    with connection, connection.makefile("rb") as source, connection.makefile("wb") as target:
        request = source.read(1)
        try:
            if request == RUN:
                with _IDLE.task():
                    _run(source, target)
            elif request == WRITE_FILE:
                _write_file(source, target)
            elif request == RELEASE:
                _release()
                target.write(_LENGTH.pack(END_OF_DATA))
        except (BrokenPipeError, ConnectionResetError):
            # the task has ended, and with it its connection
            return
        except DeviceLostError:
            # nothing can be computed in this process any more; the executor starts another one
            os._exit(1)


def _release() -> None:
    """Memory that this process has freed, for others."""
    if gpu_available():
        load_kernels("cudf").device.release()


def _leave(is_busy: Callable[[], bool]) -> None:
    """The whole GPU, for others: kept rows are moved to files."""
    if gpu_available():
        KEPT.shrink(load_kernels("cudf"), 0, is_busy)
    if not is_busy():
        _release()


_IDLE = Idle(_leave)


def _run(source: BinaryIO, target: BinaryIO) -> None:
    text = _text(source)
    run_task(text, SparkWorkerChannel(FrameDeserializer().load_stream(source), target))
    target.write(_LENGTH.pack(END_OF_DATA))


def _write_file(source: BinaryIO, target: BinaryIO) -> None:
    block, path = _text(source), _text(source)
    answer = json.dumps(KEPT.write(block, Path(path)).lengths()).encode()
    target.write(_LENGTH.pack(len(answer)) + answer)


def _text(source: BinaryIO) -> str:
    (length,) = _LENGTH.unpack(source.read(_LENGTH.size))
    return source.read(length).decode()
