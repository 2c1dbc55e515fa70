"""AND, OR and NOT over true, false and null."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions import branches
from broadhead.functions.registry import BOOLEAN, function
from broadhead.plan import known_functions
from broadhead.registry import Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

BOTH = (Signature((BOOLEAN, BOOLEAN), BOOLEAN),)


@function("and", spark=known_functions.AND, signatures=BOTH, by_branch=branches.and_)
def and_(k: Kernels, left: Column, right: Column) -> Column:
    """Whether both are true; false if one is false, even if the other is null.

    >>> SELECT true AND NULL
    NULL
    """
    return Column(k.logic.and_(left.data, right.data), BOOLEAN_TYPE)


@function("or", spark=known_functions.OR, signatures=BOTH, cheap=BOOLEAN, by_branch=branches.or_)
def or_(k: Kernels, left: Column, right: Column) -> Column:
    """Whether one is true, even if the other is null.

    >>> SELECT true OR NULL
    true
    """
    return Column(k.logic.or_(left.data, right.data), BOOLEAN_TYPE)


@function(
    "not",
    spark=known_functions.NOT,
    signatures=[Signature((BOOLEAN,), BOOLEAN)],
    cheap=BOOLEAN,
    null_intolerant=True,
)
def not_(k: Kernels, operand: Column) -> Column:
    """The opposite; null stays null.

    >>> SELECT NOT true
    false
    """
    return Column(k.logic.not_(operand.data), BOOLEAN_TYPE)
