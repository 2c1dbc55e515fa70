"""FileWrite: rows that the host half writes to table files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.file_write import FileWrite


def rows_to_write(node: FileWrite, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's batches."""
    return child
