"""The shuffle file of a task, written from the rows of a run."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from broadhead.operators.kept_blocks import KEPT, MapOutput
from broadhead.operators.spill.spill_directory import SpillDirectory
from broadhead.shuffle.writer import ShuffleWriter, ShuffleWriteResult
from broadhead.worker.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.exchanges import ShuffleWrite
    from broadhead.worker.device_half import DeviceRun
    from broadhead.worker.task_header import TaskHeader


def shuffle_output(
    root: ShuffleWrite, header: TaskHeader, run: DeviceRun, context: Run
) -> Iterator[Frame]:
    """Run a fragment that ends in a shuffle: yields frame `S`, or nothing if the task is stopped.

    The rows are kept in this process where the header says so, and written to its file otherwise.
    """
    if header.kept_as is None:
        return _write_file(root, header, run, context)
    return _keep(root, header.kept_as, run, context)


def _keep(root: ShuffleWrite, block: str, run: DeviceRun, context: Run) -> Iterator[Frame]:
    types = tuple(attribute.type for attribute in root.output)
    output = MapOutput(run.own_kernels, types, root.partitioning.partitions)
    with run.slot(context):
        for _ in run.batches(replace(context, kept_output=output)):
            pass
        if context.stopped():
            return
        result = ShuffleWriteResult(output.lengths(), output.rows, output.data_size())
    context.metrics.add(root.id, "keptBytes", output.nbytes)
    short = KEPT.put(block, output, run.own_kernels.device.kept_memory(run.settings))
    yield _frame(result, kept=True, short=short)


def _write_file(
    root: ShuffleWrite, header: TaskHeader, run: DeviceRun, context: Run
) -> Iterator[Frame]:
    """The final compression after the run holds no GPU permit."""
    if header.shuffle_file is None:
        raise ValueError("a fragment that ends in ShuffleWrite needs `shuffleFile`")
    encrypted = run.settings.encrypted
    with SpillDirectory(header.spill_directories, encrypted=encrypted) as spill_directory:
        writer = ShuffleWriter(
            header.shuffle_file,
            [attribute.type for attribute in root.output],
            root.partitioning.partitions,
            memory=run.settings.operator_memory,
            block_rows=run.settings.batch_rows,
            spill_directory=spill_directory,
            threads=run.threads,
        )
        with run.slot(context):
            for _ in run.batches(replace(context, shuffle_writer=writer)):
                pass
        if context.stopped():
            return
        start = time.perf_counter_ns()
        result = writer.finish()
    context.metrics.add(root.id, "encodeTime", time.perf_counter_ns() - start)
    context.metrics.add(root.id, "bytesWritten", sum(result.lengths))
    yield _frame(result)


def _frame(result: ShuffleWriteResult, *, kept: bool = False, short: bool = False) -> Frame:
    message = {
        "lengths": result.lengths,
        "rows": result.rows,
        "dataSize": result.data_size,
        "kept": kept,
        "keptShort": short,
    }
    return Frame("S", json.dumps(message).encode())
