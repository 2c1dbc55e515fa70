"""What Broadhead reads of Parquet files where Spark fails, or where Spark's reader skips rows.

Where the user wants exact results alone, Spark reads such files: see docs/compatibility.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.plan.expressions import Call, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.files.parquet_footer import Footer
    from broadhead.plan.expressions import Expression

_CODECS = frozenset({"BROTLI"})
_ENCODINGS = frozenset({"BYTE_STREAM_SPLIT"})


def check_exact(footer: Footer, conditions: Sequence[Expression]) -> None:
    """Raises `EngineLimit` if Spark's rows of the file may differ, or are an error."""
    if any(map(_reads_zero, conditions)):
        raise EngineLimit("Spark's reader skips -0.0 where a filter asks for 0.0")
    if not len(footer.schema):
        raise EngineLimit(f"{footer.path} has no columns")
    for number in range(footer.metadata.num_row_groups):
        group = footer.metadata.row_group(number)
        for index in range(group.num_columns):
            column = group.column(index)
            if column.compression in _CODECS or not _ENCODINGS.isdisjoint(column.encodings):
                raise EngineLimit(f"Spark does not read the encodings of {footer.path}")


def _reads_zero(condition: Expression) -> bool:
    match condition:
        case Literal(value=float(number)):
            return number == 0.0
        case Call(children=children):
            return any(map(_reads_zero, children))
    return False
