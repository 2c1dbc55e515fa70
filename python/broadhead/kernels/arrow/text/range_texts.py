"""Texts of numbers that lie close together, each made once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Array = Any

_ROWS_PER_NUMBER = 4
"""So many rows for each number of the range, at least, make a table of its texts worth its cost."""


def texts_of(numbers: Array, render: Callable[[Array], Array]) -> Array:
    """`render` of integers, where it may be asked for a whole range of numbers instead."""
    rows = len(numbers) - numbers.null_count
    if rows < _ROWS_PER_NUMBER:
        return render(numbers)
    least, greatest = (bound.as_py() for bound in pc.min_max(numbers).values())
    if (greatest - least + 1) * _ROWS_PER_NUMBER > rows:
        return render(numbers)
    table = render(pa.array(np.arange(least, greatest + 1)).cast(numbers.type))
    return table.take(pc.subtract(numbers.cast(pa.int64()), least))
