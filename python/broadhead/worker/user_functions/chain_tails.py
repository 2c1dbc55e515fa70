"""Chains of pandas functions whose last ones are expressions, of doubles that others return.

A chain with a function that is no expression is called. Its last functions may still be simple
operations: then only those before them are called, and the engine computes the rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from broadhead.errors import WouldRaise
from broadhead.plan.nodes import Attribute, Project
from broadhead.plan.python_nodes import EvalPython, PythonArgument, PythonCall
from broadhead.plan.traversal import find, with_children
from broadhead.types import DOUBLE
from broadhead.worker.user_functions.function_digests import FunctionDigests, digest_of
from broadhead.worker.user_functions.traced import (
    Question,
    answer_of,
    load_command,
    over,
    question_of,
    reference,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Fragment, Node, Zone

SCALAR_PANDAS = 200
"""PySpark's `SQL_SCALAR_PANDAS_UDF`."""

CALLED_WHOLE = FunctionDigests()
"""Chains of which this process has seen that they pass other things than doubles."""


def with_chain_tails(fragment: Fragment) -> Fragment:
    """The fragment with expressions for the last functions of chains that are called."""
    if not fragment.settings.python_trace or not any(find(fragment.root, EvalPython)):
        return fragment
    return replace(fragment, root=_rewritten(fragment.root, fragment.zones))


def _rewritten(node: Node, zones: Mapping[str, Zone]) -> Node:
    node = with_children(node, [_rewritten(child, zones) for child in node.children])
    if not isinstance(node, EvalPython):
        return node
    functions = node.functions
    if functions.eval_type != SCALAR_PANDAS or functions.profiler is not None:
        return node
    tails = [_tail(question_of(node, call, zones)) for call in functions.calls]
    return _with_tails(node, tails) if any(tails) else node


class _Tail(NamedTuple):
    """A call without the last functions of its chain, and their expression over its result."""

    call: PythonCall
    expression: Expression


def _with_tails(node: EvalPython, tails: list[_Tail | None]) -> Node:
    width = len(node.child.output)
    calls = [
        call if tail is None else tail.call
        for call, tail in zip(node.functions.calls, tails, strict=True)
    ]
    results = [
        attribute if tail is None else Attribute(attribute.name, DOUBLE, True)
        for attribute, tail in zip(node.output[width:], tails, strict=True)
    ]
    called = replace(
        node,
        output=(*node.child.output, *results),
        functions=replace(node.functions, calls=tuple(calls)),
    )
    given = [reference(ordinal, attribute) for ordinal, attribute in enumerate(called.output)]
    values = [
        value if tail is None else over(tail.expression, [value])
        for value, tail in zip(given[width:], tails, strict=True)
    ]
    return Project(
        # The plugin knows no metrics of it: the node's own are those of its calls.
        id=min(node.id, -1 - node.id),
        output=node.output,
        children=(called,),
        expressions=(*given[:width], *values),
    )


def _tail(question: Question) -> _Tail | None:
    digest = digest_of(question.call.commands)
    return None if digest in CALLED_WHOLE else _split(question, digest)


def _split(question: Question, digest: bytes) -> _Tail | None:
    """The call with as few functions as there can be before an expression."""
    from pyspark.cloudpickle import dumps

    commands = question.call.commands
    for number in range(1, len(commands)):
        double = _double_of(commands[number - 1])
        if double is not None:
            answer = answer_of(_rest(question, number))
            expression: Expression | None = getattr(answer, "expression", None)
            if expression is not None:
                checked = dumps((OnlyDoubles(digest), double))
                call = replace(question.call, commands=(*commands[:number], checked), type=DOUBLE)
                return _Tail(call, expression)
    return None


def _rest(question: Question, number: int) -> Question:
    """Whether the functions from a number on have an expression, over one double."""
    commands = question.call.commands[number:]
    call = replace(question.call, commands=commands, arguments=(PythonArgument(None, 0),))
    return replace(question, call=call, inputs=((DOUBLE, True),))


def _double_of(command: bytes) -> Any:
    """PySpark's double if a function is declared to return it."""
    try:
        _, return_type = load_command(command)
    except Exception:
        # PySpark's own code raises it again where the function is called
        return None
    return return_type if return_type.typeName() == "double" else None


class OnlyDoubles:
    """The last function of a chain instead of those that became an expression.

    Functions of a chain get what the one before them returns, whatever type it has declared. If
    these are no doubles, Spark's operators repeat the task with all functions.
    """

    def __init__(self, digest: bytes) -> None:
        self._digest = digest

    def __call__(self, value: Any) -> Any:
        """The Series itself.

        Raises WouldRaise if it is not a Series of doubles; the next tasks call the whole chain.
        """
        import pandas as pd

        if type(value) is not pd.Series or value.dtype != "float64":
            CALLED_WHOLE.add(self._digest)
            raise WouldRaise("PYTHON_CHAIN_WITHOUT_DOUBLES")
        return value
