"""An upper bound of the rows that may be among the first ones of a sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import with_data

if TYPE_CHECKING:
    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array
    from broadhead.operators.sort.sort_keys import SortKeys


class SortBound:
    """Drops the rows whose first key comes after that of a bound row.

    Rows with the bound's first key stay, though they may come after it by their other keys: one
    comparison of one key drops most rows of most inputs.
    """

    def __init__(self, keys: SortKeys) -> None:
        self._keys = keys
        self._key: Array | None = None

    def lower(self, rows: Batch) -> None:
        """Use the last of these sorted rows as the bound."""
        columns = self._keys.run.kernels.columns
        (self._key,) = columns.slice(self._keys.of(rows)[:1], rows.length - 1, 1)

    def within(self, rows: Batch) -> Batch:
        """The rows that may come before the bound; all rows as long as there is no bound."""
        if self._key is None or not rows.length:
            return rows
        columns = self._keys.run.kernels.columns
        mask = self._mask(self._keys.of(rows)[0])
        if mask is None:
            return rows
        data = columns.filter([column.data for column in rows.columns], mask)
        return with_data(rows.columns, data, columns.length(data[0]))

    def _mask(self, data: Array) -> Array | None:
        """True, and not null, for keys up to the bound; None if there are none."""
        kernels = self._keys.run.kernels
        ascending, nulls_first = self._keys.orders[0]
        if kernels.columns.null_count(self._key):
            return kernels.logic.is_null(data) if nulls_first else None
        bound = kernels.columns.first(self._key)
        sides = (data, bound) if ascending else (bound, data)
        mask = kernels.logic.is_true(kernels.compare.compare("less_equal", *sides))
        return kernels.logic.or_(mask, kernels.logic.is_null(data)) if nulls_first else mask
