"""Shuffle blocks decoded on separate threads, ahead of the operator that reads them.

A task decompresses its next input while it waits for the GPU or while its kernels run there.
Integers stay packed, to be copied to the GPU packed.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from broadhead.plan.exchanges import ShuffleRead
from broadhead.plan.traversal import find
from broadhead.shuffle.reader import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broadhead.operators.context import Sources
    from broadhead.plan.nodes import Node
    from broadhead.shuffle.block import Rows

WAITING_BYTES = 512 << 20
"""Decoded bytes that wait for the operator, for each shuffle; a single batch may be larger."""


class ReadAhead:
    """The rows of each ShuffleRead below `root`; close it to end the threads."""

    def __init__(self, root: Node, sources: Sources, batch_rows: int) -> None:
        self._readers = {
            node.source: _Reader(node, sources, batch_rows) for node in find(root, ShuffleRead)
        }

    def __enter__(self) -> Mapping[int, Iterator[Rows]]:
        for reader in self._readers.values():
            reader.start()
        return {source: reader.rows() for source, reader in self._readers.items()}

    def __exit__(self, *exception: object) -> None:
        for reader in self._readers.values():
            reader.stop()


class _Reader:
    """One shuffle's rows, read by one thread."""

    def __init__(self, node: ShuffleRead, sources: Sources, batch_rows: int) -> None:
        self._node = node
        self._sources = sources
        self._batch_rows = batch_rows
        self._rows: queue.SimpleQueue[Rows | BaseException | None] = queue.SimpleQueue()
        self._waiting = 0
        self._room = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._read, name="broadhead-read-ahead", daemon=True)

    def start(self) -> None:
        """Start to read."""
        self._thread.start()

    def stop(self) -> None:
        """Stop to read; returns when the thread has ended."""
        with self._room:
            self._stopped = True
            self._room.notify()
        self._thread.join()

    def rows(self) -> Iterator[Rows]:
        """The rows as they arrive. Raises the errors of the thread."""
        while (item := self._rows.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            with self._room:
                self._waiting -= item.nbytes
                self._room.notify()
            yield item

    def _read(self) -> None:
        node = self._node
        try:
            segments = self._sources.segments(node.source)
            batches = read_rows(
                segments, node.types, node.wanted, self._batch_rows, keep_packed=True
            )
            for rows in batches:
                if not self._admit(rows.nbytes):
                    return
                self._rows.put(rows)
        except BaseException as error:
            self._rows.put(error)
        finally:
            self._rows.put(None)

    def _admit(self, size: int) -> bool:
        """Wait for space; false if reading was stopped."""
        with self._room:
            while self._waiting and self._waiting + size > WAITING_BYTES and not self._stopped:
                self._room.wait()
            self._waiting += size
            return not self._stopped
