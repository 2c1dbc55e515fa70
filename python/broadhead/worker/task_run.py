"""One task over its channel: connects the host half and the device half."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from broadhead.errors import DeviceLostError
from broadhead.worker.error_frame import error_frame
from broadhead.worker.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from broadhead.operators.context import Metrics
    from broadhead.worker.channel import TaskChannel


def run_task(text: str, channel: TaskChannel) -> None:
    """Run the fragment `text` (JSON): write its rows, then an error if there is one, then metrics.

    Reads all frames in any case, so that the connection can be used again; only after a
    DeviceLostError, which it raises, the worker ends.
    """
    from broadhead.operators.context import Metrics

    metrics = Metrics()
    with closing(_frames(text, channel, metrics)) as frames:
        for frame in frames:
            channel.write(frame)
    while channel.read() is not None:
        pass
    channel.write(Frame("M", json.dumps(metrics.values).encode()))


def _frames(text: str, channel: TaskChannel, metrics: Metrics) -> Generator[Frame]:
    """The frames of the rows, and that of an error. Errors of `write` are not caught here."""
    try:
        yield from _rows(text, channel, metrics)
    except Exception as error:
        from broadhead.worker.user_functions import accumulator_updates

        accumulator_updates.discard()
        yield error_frame(error)
        if isinstance(error, DeviceLostError):
            raise


def _rows(text: str, channel: TaskChannel, metrics: Metrics) -> Iterator[Frame]:
    from broadhead.operators.exchange.broadcast_cache import CACHE
    from broadhead.operators.kept_blocks import KEPT
    from broadhead.worker.device_half import run_on_device
    from broadhead.worker.fragment_cache import FRAGMENTS
    from broadhead.worker.host_half import HostHalf
    from broadhead.worker.sources import TaskSources

    header = channel.header()
    CACHE.keep(header.live_broadcasts)
    KEPT.drop(header.dropped_blocks)
    compiled = FRAGMENTS.get(text, device_functions=header.device_functions)
    if header.device_functions:
        from broadhead.worker.user_functions.placed_functions import add_functions_on_host

        add_functions_on_host(compiled.fragment, metrics)
    sources = TaskSources(compiled.fragment, header, iter(channel.read, None), metrics)
    host = HostHalf(compiled, header, sources, metrics, channel.stopped)
    peak = partial(metrics.add, compiled.root.id, "peakMemory")
    with host.memory.measured(peak), closing(sources):
        yield from run_on_device(compiled, header, sources, metrics, host)
