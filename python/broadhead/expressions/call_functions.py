"""The function of a call: one of Spark's in the registry, or one that the engine adds to plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.expressions.nested import ENGINE_FUNCTIONS
from broadhead.expressions.spark_calls import SPARK_CALLS
from broadhead.expressions.traced_calls import TRACED_CALLS
from broadhead.functions.counted_matches import COUNTED_MATCHES
from broadhead.functions.registry import functions

if TYPE_CHECKING:
    from broadhead.functions.registry import Function
    from broadhead.plan.expressions import Call

_OTHERS = ENGINE_FUNCTIONS | TRACED_CALLS | SPARK_CALLS | COUNTED_MATCHES


def function_of(call: Call) -> Function | None:
    """The function; None of calls that are none, and of those unknown to this version."""
    return functions().get(call.name) or _OTHERS.get(call.name)
