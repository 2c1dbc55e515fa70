"""Check that strings are valid UTF-8: files may contain other bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Data


def check_well_formed(data: Data) -> None:
    """Raise `EngineLimit` for invalid UTF-8.

    Arrow decodes such bytes to other characters than Spark does, and reads beyond a string that
    ends in the middle of a character.
    """
    if isinstance(data, pa.Scalar) or _all_ascii(data):
        return
    try:
        data.validate(full=True)
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"a string is not UTF-8: {error}") from error


def _all_ascii(data: Array) -> bool:
    """Whether all bytes of the rows are valid UTF-8, including those under nulls."""
    bounds = views.offsets(data)
    start, end = int(bounds[0]), int(bounds[-1])
    if start == end:
        return True
    # bytes of characters other than ASCII are negative as int8
    signed = np.frombuffer(data.buffers()[2], np.int8, end - start, start)
    return bool(signed.min() >= 0)
