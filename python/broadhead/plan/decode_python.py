"""Decoding of the nodes that call the user's Python functions."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from broadhead.plan import nodes, python_nodes, windows
from broadhead.types import parse_type

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.plan.sort_order import SortOrder

Json = Mapping[str, Any]


class PartDecoders(NamedTuple):
    """The decoders of what nodes consist of."""

    expression: Callable[[Json], Expression]
    sort_order: Callable[[Json], SortOrder]
    frame: Callable[[Json], windows.Frame]

    def expressions(self, messages: Sequence[Json]) -> tuple[Expression, ...]:
        """All of the expressions."""
        return tuple(map(self.expression, messages))


def _eval_python(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    inputs = decode.expressions(message["inputs"])
    return python_nodes.EvalPython(**common, functions=_functions(message), inputs=inputs)


def _eval_python_table(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    table, result = message["table"], message["table"]["analyzeResult"]
    return python_nodes.EvalPythonTable(
        **common,
        functions=_functions(message),
        inputs=decode.expressions(message["inputs"]),
        required=tuple(message["required"]),
        table=python_nodes.TableFunction(
            return_type=table["returnType"],
            partition_columns=tuple(table["partitionColumns"]),
            tables=tuple(table["tableArguments"]),
            analyze_result=None if result is None else base64.b64decode(result),
        ),
    )


def _python_rows(message: Json, common: dict[str, Any], _: PartDecoders) -> nodes.Node:
    return python_nodes.PythonRows(**common, command=base64.b64decode(message["command"]))


def _map_in_python(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    return python_nodes.MapInPython(
        **common,
        # the function gets its columns in one struct
        functions=_functions(message, [0]),
        inputs=decode.expressions(message["inputs"]),
        input_names=tuple(message["inputNames"]),
    )


def _flat_map_groups(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    offsets = _offsets(message["keys"], message["values"])
    return python_nodes.FlatMapGroups(
        **common,
        functions=_functions(message, offsets),
        grouping=decode.expressions(message["grouping"]),
        inputs=decode.expressions(message["inputs"]),
        input_names=tuple(message["inputNames"]),
    )


def _flat_map_cogroups(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    sides = zip(message["keys"], message["values"], strict=True)
    offsets = [offset for keys, values in sides for offset in _offsets(keys, values)]
    left, right = map(decode.expressions, message["grouping"])
    left_inputs, right_inputs = map(decode.expressions, message["inputs"])
    return python_nodes.FlatMapCoGroups(
        **common,
        functions=_functions(message, offsets),
        left_grouping=left,
        right_grouping=right,
        left_inputs=left_inputs,
        right_inputs=right_inputs,
        input_names=tuple(map(tuple, message["inputNames"])),
    )


def _aggregate_python(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    return python_nodes.AggregatePython(
        **common,
        functions=_functions(message),
        grouping=decode.expressions(message["grouping"]),
        inputs=decode.expressions(message["inputs"]),
        results=decode.expressions(message["results"]),
    )


def _window_python(message: Json, common: dict[str, Any], decode: PartDecoders) -> nodes.Node:
    return python_nodes.WindowPython(
        **common,
        functions=_functions(message),
        partition=decode.expressions(message["partition"]),
        order=tuple(map(decode.sort_order, message["order"])),
        inputs=decode.expressions(message["inputs"]),
        frames=tuple(map(decode.frame, message["frames"])),
    )


def _offsets(keys: Sequence[int], values: Sequence[int]) -> list[int]:
    """The columns of a side as PySpark's worker reads them: sizes, then keys, then values."""
    return [1 + len(keys) + len(values), len(keys), *keys, *values]


def _functions(message: Json, arguments: Sequence[int] | None = None) -> python_nodes.PythonCalls:
    """The functions; with other arguments than those in the message, if they are given."""
    calls = []
    for call in message["calls"]:
        named = [python_nodes.PythonArgument(a["name"], a["input"]) for a in call["arguments"]]
        if arguments is not None:
            named = [python_nodes.PythonArgument(None, argument) for argument in arguments]
        calls.append(
            python_nodes.PythonCall(
                name=call["name"],
                commands=tuple(map(base64.b64decode, call["commands"])),
                arguments=tuple(named),
                type=parse_type(call["type"]),
                deterministic=call["deterministic"],
                result_id=call["resultId"],
            )
        )
    return python_nodes.PythonCalls(
        eval_type=message["evalType"],
        calls=tuple(calls),
        input_schema=message["inputSchema"],
        profiler=message["profiler"],
        conf=message["conf"],
    )


PYTHON_NODES: dict[str, Callable[[Json, dict[str, Any], PartDecoders], nodes.Node]] = {
    "ArrowEvalPython": _eval_python,
    "BatchEvalPython": _eval_python,
    "ArrowEvalPythonUDTF": _eval_python_table,
    "BatchEvalPythonUDTF": _eval_python_table,
    "PythonRows": _python_rows,
    "MapInPandas": _map_in_python,
    "MapInArrow": _map_in_python,
    "FlatMapGroupsInPandas": _flat_map_groups,
    "FlatMapGroupsInArrow": _flat_map_groups,
    "FlatMapCoGroupsInPandas": _flat_map_cogroups,
    "FlatMapCoGroupsInArrow": _flat_map_cogroups,
    "ArrowAggregatePython": _aggregate_python,
    "AggregateInPandas": _aggregate_python,
    "ArrowWindowPython": _window_python,
    "WindowInPandas": _window_python,
}
