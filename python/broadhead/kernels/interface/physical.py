"""The physical data that kernels take and give.

`Array` is a pyarrow.Array, never chunked, or a pylibcudf.Column. `Data` is an Array, or the
library's scalar, which stands for the same value in every row. `Checked` is the result of a
function that can fail on a row, and a mask: true on the rows that failed (result null there), or
None when no row did.
"""

from __future__ import annotations

from typing import Any

Array = Any
Data = Any
Checked = tuple[Array, Array | None]
