"""IN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.functions.operands import row_count
from broadhead.functions.registry import ANY, BOOLEAN, SAME, Signature, function
from broadhead.types import BOOLEAN as BOOLEAN_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels


@function("in", spark="In", signatures=[Signature((ANY, SAME, SAME), BOOLEAN, variadic=True)])
def in_(k: Kernels, value: Column, *items: Column) -> Column:
    """Whether a value equals one of a list; null if that depends on a null.

    >>> SELECT 1 IN (1, 2)
    true
    """
    rows = row_count(k, [value, *items])
    data = k.columns.full(value.data, rows)
    result = k.compare.compare("equal", data, items[0].data)
    for item in items[1:]:
        result = k.logic.or_(result, k.compare.compare("equal", data, item.data))
    return Column(result, BOOLEAN_TYPE)


@function("in", spark="InSet", signatures=[Signature((ANY,), BOOLEAN)], fields={"hset": "any"})
def in_set(k: Kernels, value: Column, *, hset: tuple[Any, ...]) -> Column:
    """Whether a value equals one of a long list of constants; null if that depends on a null.

    >>> SELECT 3 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    true
    """
    constants = [item for item in hset if item is not None]
    found = k.compare.is_in(value.data, constants, value.type)
    unknown = k.logic.is_null(value.data) if len(constants) == len(hset) else k.logic.not_(found)
    return Column(k.logic.null_where(found, unknown), BOOLEAN_TYPE)
