"""Rows of text files: their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.files.line_blocks import line_blocks
from broadhead.operators.scan.read_rows import ReadRows
from broadhead.operators.scan.text.lines import Lines, block_bytes
from broadhead.types import STRING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import FileScan


def read_text(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The lines of the scan's splits, as the one data column if it is wanted.

    Raises OSError for a file that cannot be read, and `EngineLimit` for one that is compressed by
    an unknown codec or damaged.
    """
    any_line_end = bool(node.options["anyLineEnd"])
    size = block_bytes(run.kernels.device.name)
    most = run.kernels.device.batch_rows(run.settings)
    for split in run.sources.splits(node.id):
        blocks = line_blocks(
            split.file, split.start, split.length, any_line_end=any_line_end, block_bytes=size
        )
        for block in blocks:
            run.metrics.add(node.id, "bytesRead", len(block))
            lines = Lines.of(block, any_line_end=any_line_end)
            texts = lines.strings() if node.data_columns else None
            for start in range(0, len(lines), most):
                count = min(most, len(lines) - start)
                arrays = {}
                if texts is not None:
                    part = texts.slice(start, count)
                    arrays[0] = run.kernels.columns.from_arrow(part, STRING)
                yield ReadRows(arrays, [(split, count)])
