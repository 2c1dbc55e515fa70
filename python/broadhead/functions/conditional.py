"""Choice between values. Branches that can raise are evaluated row by row: `functions.branches`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from broadhead.columns import Column
from broadhead.functions import branches
from broadhead.functions.operands import arrays, nulls, row_count
from broadhead.functions.registry import ANY, ATOMIC, BOOLEAN, NESTED, SAME, function
from broadhead.plan import known_functions
from broadhead.registry import Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType


@function(
    "if",
    spark=known_functions.IF,
    signatures=[Signature((BOOLEAN, ANY | NESTED, SAME), ANY | NESTED)],
    by_branch=branches.case,
)
def if_(
    k: Kernels, condition: Column, then: Column, otherwise: Column, *, returns: DataType
) -> Column:
    """The second value where the condition is true, else the third.

    >>> SELECT if(1 < 2, 'a', 'b')
    a
    """
    return Column(_choose(k, [condition, then, otherwise], returns), returns)


# Conditions and values by turns: Spark has checked their types.
@function(
    "case",
    spark="CaseWhen",
    signatures=[Signature((ANY, ANY | NESTED), ANY | NESTED, variadic=True)],
    by_branch=branches.case,
)
def case_when(k: Kernels, *operands: Column, returns: DataType) -> Column:
    """The value of the first branch whose condition is true, else that of ELSE, or null.

    >>> SELECT CASE WHEN 1 > 2 THEN 'a' WHEN 1 > 0 THEN 'b' ELSE 'c' END
    b
    """
    return Column(_choose(k, operands, returns), returns)


@function(
    "tryeval",
    spark="TryEval",
    signatures=[Signature((ANY | NESTED,), ANY | NESTED)],
    by_branch=branches.try_,
)
def try_eval(k: Kernels, value: Column, *, returns: DataType) -> Column:
    """The value, null where it raises an error: Spark has it in `try_add` and other functions.

    >>> SELECT try_add(DATE'2020-01-01', INTERVAL 1 DAY)
    2020-01-02
    """
    return Column(arrays(k, [value])[0], returns)


def _choose(k: Kernels, operands: Sequence[Column], returns: DataType) -> Array:
    """The value of the first true condition; `operands` are pairs, then perhaps a default."""
    rows = row_count(k, operands)
    has_default = len(operands) % 2 == 1
    chosen = operands[-1].data if has_default else k.columns.scalar(None, returns)
    for number in range(len(operands) // 2 - 1, -1, -1):
        condition, then = operands[2 * number : 2 * number + 2]
        if then.data is chosen:  # as where MERGE updates and inserts the same columns
            continue
        chosen = k.logic.if_else(k.columns.full(condition.data, rows), then.data, chosen)
    return k.columns.full(chosen, rows)


SAME_TYPES = (Signature((ATOMIC, SAME, SAME), ATOMIC, variadic=True),)


@function("greatest", spark="Greatest", signatures=SAME_TYPES)
def greatest(k: Kernels, *operands: Column, returns: DataType) -> Column:
    """The greatest value; nulls are skipped.

    >>> SELECT greatest(1, 3, NULL)
    3
    """
    return Column(_extreme(k, operands, returns, "greatest"), returns)


@function("least", spark="Least", signatures=SAME_TYPES)
def least(k: Kernels, *operands: Column, returns: DataType) -> Column:
    """The least value; nulls are skipped.

    >>> SELECT least(1, 3, NULL)
    1
    """
    return Column(_extreme(k, operands, returns, "least"), returns)


def _extreme(
    k: Kernels,
    operands: Sequence[Column],
    returns: DataType,
    kind: Literal["greatest", "least"],
) -> Array:
    """The first of the extreme values; null where all are null."""
    best = nulls(k, returns, row_count(k, operands))
    for data in arrays(k, operands):
        sides = (best, data) if kind == "greatest" else (data, best)
        better = k.compare.compare("less", *sides)
        best = k.logic.coalesce([k.logic.if_else(better, data, best), data])
    return best
