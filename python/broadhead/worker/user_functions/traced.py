"""Functions that are traced become expressions: an `EvalPython` becomes a `Project`."""

from __future__ import annotations

import json
import struct
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import BoundReference, Call, Expression
from broadhead.plan.python_nodes import (
    EvalPython,
    PythonArgument,
    PythonCall,
    PythonCalls,
    TracedProject,
)
from broadhead.plan.traversal import find, with_children
from broadhead.types import DOUBLE
from broadhead.worker.user_functions.function_digests import FunctionAnswers, digest_of

if TYPE_CHECKING:
    import pyarrow as pa

    from broadhead.plan.nodes import Attribute, Fragment, Node, Zone
    from broadhead.tracing.signature import FunctionSignature
    from broadhead.tracing.trace import Refused, Traced
    from broadhead.types import DataType


def with_traced_functions(fragment: Fragment) -> Fragment:
    """The fragment with expressions for the functions that are made of them."""
    if not fragment.settings.python_trace or not any(find(fragment.root, EvalPython)):
        return fragment
    return replace(fragment, root=_rewritten(fragment.root, fragment.zones))


def traced_calls(node: EvalPython, zones: Mapping[str, Zone]) -> list[Traced | Refused]:
    """The expression of each call over its arguments, or the reason why it has none."""
    from broadhead.tracing.trace import Refused

    functions = node.functions
    if functions.profiler is not None:
        return [Refused("it is profiled")] * len(functions.calls)
    return [answer_of(question_of(node, call, zones)) for call in functions.calls]


def signature_of(node: EvalPython, call: PythonCall) -> FunctionSignature | None:
    """How a call of a node is made; None for a kind that is not traced."""
    return _signature(question_of(node, call, {}))


def question_of(node: EvalPython, call: PythonCall, zones: Mapping[str, Zone]) -> Question:
    """Whether a call of a node has an expression."""
    inputs = tuple((expression.type, expression.nullable) for expression in node.inputs)
    conf = tuple(sorted(node.functions.conf.items()))
    return Question(node.functions.eval_type, call, inputs, conf, _Zones(zones))


def _rewritten(node: Node, zones: Mapping[str, Zone]) -> Node:
    node = with_children(node, [_rewritten(child, zones) for child in node.children])
    return _projected(node, zones) if isinstance(node, EvalPython) else node


def _projected(node: EvalPython, zones: Mapping[str, Zone]) -> Node:
    found = [getattr(answer, "expression", None) for answer in traced_calls(node, zones)]
    if not any(found):
        return node
    width = len(node.child.output)
    own = [reference(ordinal, a) for ordinal, a in enumerate(node.child.output)]
    results = node.output[width:]
    called = [n for n, expression in enumerate(found) if expression is None]
    child = _without(node, called) if called else node.child
    values = [
        over(expression, _arguments(node, n))
        if expression is not None
        else reference(width + called.index(n), results[n])
        for n, expression in enumerate(found)
    ]
    return TracedProject(
        id=node.id,
        output=node.output,
        children=(child,),
        expressions=(*own, *values),
        traced=len(found) - len(called),
    )


def _without(node: EvalPython, called: Sequence[int]) -> EvalPython:
    """The node with some of its calls; the plugin knows no metrics of its id."""
    width = len(node.child.output)
    calls = tuple(node.functions.calls[n] for n in called)
    return replace(
        node,
        id=-1 - node.id,
        output=(*node.child.output, *(node.output[width + n] for n in called)),
        functions=replace(node.functions, calls=calls),
    )


def reference(ordinal: int, attribute: Attribute) -> BoundReference:
    """A column of the input as an expression."""
    return BoundReference(ordinal, attribute.type, attribute.nullable)


def _arguments(node: EvalPython, number: int) -> list[Expression]:
    return [node.inputs[argument.input] for argument in node.functions.calls[number].arguments]


def over(expression: Expression, arguments: Sequence[Expression]) -> Expression:
    """The expression over these arguments, instead of its references."""
    match expression:
        case BoundReference(ordinal):
            return arguments[ordinal]
        case Call(children=children):
            return replace(expression, children=tuple(over(c, arguments) for c in children))
    return expression


class _Zones(dict[str, Any]):
    """Time zones as part of a key: their rules are the same in all fragments."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self))


@dataclass(frozen=True)
class Question:
    """What the answer depends on."""

    eval_type: int
    call: PythonCall
    inputs: tuple[tuple[DataType, bool], ...]
    conf: tuple[tuple[str, str], ...]
    zones: _Zones


_ANSWERS: FunctionAnswers[Traced | Refused] = FunctionAnswers()


def answer_of(question: Question) -> Traced | Refused:
    """The expression of a call over its arguments, or the reason why it has none."""
    call = question.call
    # the functions themselves, which may be large, are not kept
    key = replace(question, call=replace(call, commands=(digest_of(call.commands),)))
    return _ANSWERS.get(key, lambda: _found(question))


def _found(question: Question) -> Traced | Refused:
    from broadhead.tracing.trace import Refused

    if not question.call.deterministic:
        return Refused("it is not deterministic")
    signature = _signature(question)
    if signature is None:
        return Refused("its kind is not traced")
    try:
        chain = [load_command(command)[0] for command in question.call.commands]
    except Exception as error:
        # PySpark's own code raises it again where the function is called
        return Refused(f"it cannot be loaded: {type(error).__name__}")
    traced = _chained(chain, signature)
    return traced if isinstance(traced, Refused) else _validated(traced, signature, question)


def _signature(question: Question) -> FunctionSignature | None:
    from broadhead.tracing import signature as signatures

    try:
        kind = signatures.FunctionKind(question.eval_type)
    except ValueError:
        return None
    conf = dict(question.conf)
    arguments = tuple(
        signatures.Argument(*question.inputs[argument.input], argument.name)
        for argument in question.call.arguments
    )
    settings = signatures.ConversionSettings(
        time_zone=conf.get("spark.sql.session.timeZone", "UTC"),
        safe=conf.get("spark.sql.execution.pandas.convertToArrowArraySafely") == "true",
        legacy_pandas=conf.get("spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled")
        == "true",
    )
    return signatures.FunctionSignature(kind, arguments, question.call.type, settings)


def load_command(command: bytes) -> tuple[Any, Any]:
    """The function of a command and its return type, as PySpark's worker loads them."""
    from broadhead.worker.user_functions.pyspark_names import load

    return load(BytesIO(struct.pack("!i", len(command)) + command))


def _chained(chain: Sequence[Any], signature: FunctionSignature) -> Traced | Refused:
    """The expression of a chain; between two functions only doubles, which both see the same."""
    from broadhead.tracing.signature import Argument
    from broadhead.tracing.trace import Refused, Traced, trace

    found: Traced | Refused | None = None
    for function in chain:
        if found is not None and signature.returns != DOUBLE:
            return Refused("it is called with the result of another function")
        own = signature
        if isinstance(found, Traced):
            own = replace(signature, arguments=(Argument(DOUBLE, True),))
        traced = trace(function, own)
        if isinstance(traced, Refused):
            return traced
        if isinstance(found, Traced):
            traced = Traced(over(traced.expression, [found.expression]))
        found = traced
    assert found is not None
    return found


def _validated(
    traced: Traced, signature: FunctionSignature, question: Question
) -> Traced | Refused:
    """The answer if the expression gives the function's own results for edge values."""
    from broadhead.kernels.load import load_kernels
    from broadhead.tracing.validate import validate
    from broadhead.worker.user_functions.pyspark_functions import PySparkFunctions

    call = question.call
    positions = tuple(PythonArgument(a.name, n) for n, a in enumerate(call.arguments))
    functions = PythonCalls(
        eval_type=question.eval_type,
        calls=(replace(call, arguments=positions),),
        input_schema=_schema_json(signature),
        profiler=None,
        conf=dict(question.conf),
    )

    def evaluate(batch: pa.RecordBatch) -> pa.Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (result,) = PySparkFunctions().over_batches(functions, [batch])
        return result.column(0)

    kernels = load_kernels("arrow")
    return validate(traced, evaluate, signature, kernels, question.zones)


def _schema_json(signature: FunctionSignature) -> str:
    fields = [
        {"name": f"_{n}", "type": a.type.name, "nullable": True, "metadata": {}}
        for n, a in enumerate(signature.arguments)
    ]
    return json.dumps({"type": "struct", "fields": fields})
