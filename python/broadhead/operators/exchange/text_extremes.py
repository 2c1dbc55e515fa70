"""Statistics of a written file that its Parquet footer has, too: the least or greatest text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.operators.aggregate.aggregate_calls import entry_of
from broadhead.plan.expressions import BoundReference
from broadhead.types import STRING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.aggregates.registry import Extreme
    from broadhead.plan.file_write import FileWrite
    from broadhead.plan.nodes import AggregateCall


@dataclass(frozen=True, slots=True)
class TextExtreme:
    """An extreme of column number `column` of the file."""

    column: int
    extreme: Extreme


def text_extremes(node: FileWrite) -> Mapping[int, TextExtreme]:
    """The extremes of texts by their positions among the statistics of the node.

    None of files of a partition, and none besides columns with fields inside, which the footer
    numbers otherwise.
    """
    one_file = not (node.partition_columns or node.max_records or node.target_bytes)
    nested = any(node.output[ordinal].type.is_nested for ordinal in node.data_columns)
    if node.format != "parquet" or not one_file or nested:
        return {}
    columns = {ordinal: column for column, ordinal in enumerate(node.data_columns)}
    found = {n: _text_extreme(call, columns) for n, call in enumerate(node.statistics)}
    return {n: extreme for n, extreme in found.items() if extreme is not None}


def _text_extreme(call: AggregateCall, columns: Mapping[int, int]) -> TextExtreme | None:
    extreme = entry_of(call).extreme
    match call.children:
        case (BoundReference(ordinal=ordinal, type=kind),) if (
            extreme and call.filter is None and kind == STRING and ordinal in columns
        ):
            return TextExtreme(columns[ordinal], extreme)
    return None
