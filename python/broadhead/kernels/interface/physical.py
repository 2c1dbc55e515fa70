"""The physical data of kernels.

`Array` is a pyarrow.Array, never chunked, or a pylibcudf.Column. `Data` is an Array, or the
library's scalar, which represents the same value in every row. `Checked` is the result of a
function that can fail for a row, and a mask: true for the failed rows (result null there), or None
if no row failed.
"""

from __future__ import annotations

from typing import Any

Array = Any
Data = Any
Checked = tuple[Array, Array | None]
