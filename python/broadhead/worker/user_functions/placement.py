"""Where the user's functions run: as an expression, on a GPU, or on the CPU, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from broadhead.plan.python_nodes import DeviceCalls, EvalPython, FlatMapCoGroups, PythonNode
from broadhead.plan.traversal import with_children
from broadhead.types import DOUBLE, StructType, parse_type
from broadhead.worker.user_functions.accelerators import PANDAS, chosen
from broadhead.worker.user_functions.function_digests import FunctionDigests, digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.plan.nodes import Fragment, Node, Zone
    from broadhead.plan.python_nodes import PythonCall, PythonCalls
    from broadhead.tracing.signature import FunctionSignature
    from broadhead.types import DataType

DEVICE_ROWS = 200_000
"""Rows of a batch from which on a GPU is faster than pandas on the CPU, as for groups."""

SCALAR, SCALAR_ITERATOR, MAP = 200, 204, 205
GROUPED_MAP, GROUPED_AGGREGATE, COGROUPED_MAP = 201, 202, 206
IN_BATCHES = frozenset({SCALAR, SCALAR_ITERATOR, MAP})
IN_GROUPS = frozenset({GROUPED_MAP, GROUPED_AGGREGATE, COGROUPED_MAP})

DEVICE_TYPES = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "string"}
)
"""Types whose pandas form cuDF has; pandas has dates and decimals as Python objects."""


USUAL = {
    "spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype": "false",
    "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName": "true",
}
"""Settings of PySpark's conversions whose other values are left to its own code."""


class ExecutionTarget(StrEnum):
    """Where the calls of one operator run."""

    EXPRESSION = "expression"
    DEVICE_ROWS = "device rows"
    """On a GPU, with batches of any length."""
    DEVICE = "device"
    DEVICE_ONLY = "device only"
    """On a GPU, however few rows there are."""
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Placed:
    """The target of the calls of an operator, and for each of them the reason why it is called."""

    target: ExecutionTarget
    reasons: tuple[str | None, ...]


def placed(node: PythonNode, zones: Mapping[str, Zone], *, trace: bool, accelerate: str) -> Placed:
    """The target of an operator's calls on a host with a GPU, by the settings of functions."""
    from broadhead.tracing.trace import Refused
    from broadhead.worker.user_functions.traced import traced_calls

    reasons: tuple[str | None, ...] = (None,) * len(node.functions.calls)
    if isinstance(node, EvalPython):
        off = Refused("spark.broadhead.python.trace is false")
        found = traced_calls(node, zones) if trace else [off] * len(reasons)
        reasons = tuple(each.reason if isinstance(each, Refused) else None for each in found)
        if not any(reasons):
            return Placed(ExecutionTarget.EXPRESSION, reasons)
    calls = device_calls(node) if PANDAS in chosen(accelerate) else None
    if calls is None:
        return Placed(ExecutionTarget.HOST, reasons)
    if calls.required:
        return Placed(ExecutionTarget.DEVICE_ONLY, reasons)
    return Placed(
        ExecutionTarget.DEVICE_ROWS if calls.whole_batches else ExecutionTarget.DEVICE, reasons
    )


def with_device_calls(fragment: Fragment) -> Fragment:
    """The fragment with the calls marked that may run on a GPU."""
    return replace(fragment, root=_marked(fragment.root))


def _marked(node: Node) -> Node:
    node = with_children(node, [_marked(child) for child in node.children])
    return replace(node, device=device_calls(node)) if isinstance(node, PythonNode) else node


CALLED_ON_HOST = FunctionDigests()
"""Functions that this process calls on the CPU, since a GPU does not pay."""


def digest_of_calls(functions: PythonCalls) -> bytes:
    """The digest of the functions of all calls."""
    return digest_of(command for call in functions.calls for command in call.commands)


def device_calls(node: PythonNode) -> DeviceCalls | None:
    """How a node's functions are called on a GPU; None if they are called on the CPU."""
    functions = node.functions
    kind = functions.eval_type
    if kind not in IN_BATCHES | IN_GROUPS or functions.profiler is not None:
        return None
    if digest_of_calls(functions) in CALLED_ON_HOST or not _known_worker():
        return None
    if any(functions.conf.get(key, usual) != usual for key, usual in USUAL.items()):
        return None
    node_inputs = _input_types(node)
    types = [*node_inputs, *(t for call in functions.calls for t in _fields(call.type))]
    if not node_inputs or any(data_type.name not in DEVICE_TYPES for data_type in types):
        return None
    if any(_takes_device_objects(call) for call in functions.calls):
        return DeviceCalls(required=True)
    rows = functions.batch_rows
    if kind in IN_GROUPS or rows is None or rows >= DEVICE_ROWS:
        return DeviceCalls()
    return _row_wise(node) if kind == SCALAR and isinstance(node, EvalPython) else None


@cache
def _known_worker() -> bool:
    """Whether PySpark's worker passes lists of Series (before Spark 4.2), whose texts are typed.

    Before pandas 3 texts are Python objects, which cuDF's columns do not stand for.
    """
    from pyspark import __version__

    try:
        # not imported, since cudf.pandas has to be the first to import it
        pandas = metadata.version("pandas")
    except metadata.PackageNotFoundError:
        return False
    return tuple(map(int, __version__.split(".")[:2])) < (4, 2) and int(pandas.split(".")[0]) >= 3


def _takes_device_objects(call: PythonCall) -> bool:
    """Whether a function of the chain is annotated with types of a GPU's library."""
    return any(_library_of(command) is not None for command in call.commands)


def _library_of(command: bytes) -> str | None:
    from broadhead.worker.user_functions.device_arguments import library_of
    from broadhead.worker.user_functions.traced import load_command

    try:
        return library_of(load_command(command)[0])
    except Exception:
        # PySpark's own code raises it again where the function is called
        return None


def _input_types(node: Any) -> list[DataType]:
    if isinstance(node, FlatMapCoGroups):
        return [expression.type for expression in (*node.left_inputs, *node.right_inputs)]
    return [expression.type for expression in node.inputs]


def _fields(data_type: DataType) -> list[DataType]:
    return (
        [field.type for field in data_type.fields]
        if isinstance(data_type, StructType)
        else [data_type]
    )


def _row_wise(node: EvalPython) -> DeviceCalls | None:
    """Whole batches, if the result of each row depends on that row alone for all calls."""
    from broadhead.worker.user_functions.traced import signature_of

    dense: set[int] = set()
    for call in node.functions.calls:
        signature = signature_of(node, call)
        found = _chain(call.commands, signature) if signature is not None else None
        if found is None or not call.deterministic:
            return None
        dense.update(call.arguments[number].input for number in found)
    return DeviceCalls(whole_batches=True, dense=tuple(sorted(dense)))


def _chain(commands: tuple[bytes, ...], signature: FunctionSignature) -> tuple[int, ...] | None:
    """The arguments of a chain that must have no nulls; None if it is not row by row."""
    from broadhead.tracing.row_wise import row_wise
    from broadhead.tracing.signature import Argument
    from broadhead.worker.user_functions.traced import load_command

    dense: tuple[int, ...] = ()
    own = signature
    for number, command in enumerate(commands):
        try:
            function, return_type = load_command(command)
        except Exception:
            # PySpark's own code raises it again where the function is called
            return None
        returns = parse_type(json.loads(return_type.json()))
        last = number == len(commands) - 1
        found = row_wise(function, replace(own, returns=returns))
        if found is None or not (last or returns == DOUBLE):
            return None
        if number == 0:
            dense = found.without_nulls
        own = replace(signature, arguments=(Argument(DOUBLE, True),))
    return dense
