"""The shuffle file of a task, written from the rows of a run."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from broadhead.operators.kept_blocks import KEPT, MapOutput
from broadhead.operators.spill.spill_directory import SpillDirectory
from broadhead.plan.nodes import DEFAULT_BATCH_ROWS
from broadhead.shuffle.block import Rows
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
        lengths, size = output.lengths(), output.data_size()
    KEPT.put(block, output)
    yield _frame(ShuffleWriteResult(lengths, output.rows, size), kept=True)


def write_kept_file(output: MapOutput, path: str) -> list[int]:
    """Write the rows of a map output to a shuffle file: the bytes of each partition."""
    columns = output.kernels.columns
    writer = ShuffleWriter(
        Path(path),
        output.types,
        output.partitions,
        memory=sys.maxsize,
        block_rows=DEFAULT_BATCH_ROWS,
        spill_directory=_no_spill,
    )
    for part in output.parts:
        arrays = tuple(map(columns.to_host, part.data, output.types))
        writer.add(Rows(arrays, part.length), part.offsets)
    return writer.finish().lengths


def _no_spill() -> Path:
    raise AssertionError("a writer without a memory limit does not spill")


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


def _frame(result: ShuffleWriteResult, *, kept: bool = False) -> Frame:
    message = {
        "lengths": result.lengths,
        "rows": result.rows,
        "dataSize": result.data_size,
        "kept": kept,
    }
    return Frame("S", json.dumps(message).encode())
