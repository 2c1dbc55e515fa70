"""Operands of functions: scalars, literals, failed rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.errors import WouldRaise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.columns import Column
    from broadhead.kernels.interface import Array, Checked, Data, Kernels
    from broadhead.types import DataType


def row_count(k: Kernels, operands: Sequence[Column]) -> int:
    """Rows of the operands; at least one of them is an Array."""
    for operand in operands:
        if not k.columns.is_scalar(operand.data):
            return k.columns.length(operand.data)
    raise AssertionError("all operands of a function are scalars")


def arrays(k: Kernels, operands: Sequence[Column]) -> list[Array]:
    """The operands' data with every scalar repeated for each row."""
    rows = row_count(k, operands)
    return [k.columns.full(operand.data, rows) for operand in operands]


def nulls(k: Kernels, data_type: DataType, rows: int) -> Array:
    """That many nulls of a type."""
    return k.columns.full(k.columns.scalar(None, data_type), rows)


def literal(k: Kernels, operand: Column) -> Any:
    """The Python value of an operand that is a literal in the plan; None is null.

    A literal that was made into an Array without rows gives None too: nobody will see a result.
    """
    data = operand.data
    if not k.columns.is_scalar(data):
        if k.columns.length(data) == 0:
            return None
        data = k.columns.first(data)
    return k.columns.to_arrow(k.columns.full(data, 1), operand.type)[0].as_py()


def require(k: Kernels, failed: Array | None, condition: str) -> None:
    """Raises `WouldRaise(condition)` where a row of the mask is true."""
    if failed is not None and k.logic.any(failed):
        raise WouldRaise(condition)


def checked(k: Kernels, result: Checked, condition: str, *, raises: bool) -> Array:
    """The values of a checked result; rows that failed raise `condition`, or stay null."""
    values, failed = result
    if raises:
        require(k, failed, condition)
    return values


def both_valid(k: Kernels, left: Data, right: Data, mask: Array) -> Array:
    """`mask` where neither side is null."""
    for side in (left, right):
        if k.columns.is_scalar(side):
            mask = k.logic.and_(
                mask, k.logic.is_valid(k.columns.full(side, k.columns.length(mask)))
            )
        else:
            mask = k.logic.and_(mask, k.logic.is_valid(side))
    return mask
