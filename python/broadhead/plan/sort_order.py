"""Sort orders: keys and directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


@dataclass(frozen=True, slots=True)
class SortOrder:
    """One key: ascending or descending, with its nulls before or after all values."""

    expression: Expression
    ascending: bool
    nulls_first: bool
