"""What Spark puts around timestamps to compute windows of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.registry import TIMESTAMPS, function
from broadhead.functions.timestamps import LONG_RESULT
from broadhead.registry import Signature

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType


@function(
    "precise_timestamp_conversion",
    spark="PreciseTimestampConversion",
    signatures=[Signature((TIMESTAMPS,), LONG_RESULT), Signature((LONG_RESULT,), TIMESTAMPS)],
    fields={"fromType": "any", "toType": "any"},
    note="added by Spark for `window` and `window_time`",
)
def precise_timestamp_conversion(k: Kernels, operand: Column, *, returns: DataType) -> Column:
    """A timestamp as its microseconds, or microseconds as a timestamp.

    >>> SELECT CAST(window(TIMESTAMP'2021-01-01 00:07:00', '5 minutes').start AS STRING)
    2021-01-01 00:05:00
    """
    return Column(k.cast.reinterpret(operand.data, returns), returns)
