"""Decoding of a fragment from the JSON that the plugin writes; see docs/wire-format.md."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from broadhead.errors import Unsupported
from broadhead.plan import exchanges, joins, nodes, row_nodes, windows
from broadhead.plan.collation_keys import compared_by_keys
from broadhead.plan.decode_exchanges import (
    decode_broadcast_read,
    decode_partitioning,
    decode_shuffle_read,
)
from broadhead.plan.decode_python import PYTHON_NODES, PartDecoders
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.plan.file_write import FileWrite
from broadhead.plan.sort_order import SortOrder
from broadhead.types import ArrayType, DataType, StructType, parse_type
from broadhead.version import VERSION

Json = Mapping[str, Any]


def decode_fragment(text: str) -> nodes.Fragment:
    """The fragment that `text` (JSON) describes.

    Raises `Unsupported` for a jar of another version or unknown content.
    """
    message = json.loads(text)
    if message["version"] != VERSION:
        raise Unsupported(
            f"the plugin's jar is Broadhead {message['version']}, the workers' Python package is "
            f"{VERSION}: install the same version of both"
        )
    return nodes.Fragment(
        root=decode_node(message["root"]),
        settings=_settings(message["settings"]),
        zones=decode_zones(message["zones"]),
    )


def decode_zones(message: Json) -> dict[str, nodes.Zone]:
    """The time zones by name."""
    return {
        name: nodes.Zone(tuple(zone["transitions"]), tuple(zone["offsets"]))
        for name, zone in message.items()
    }


def _settings(message: Json) -> nodes.Settings:
    known = {field.name for field in fields(nodes.Settings)}
    return nodes.Settings(
        **{name: value for key, value in message.items() if (name := snake_case(key)) in known}
    )


def snake_case(name: str) -> str:
    """`failOnError` as `fail_on_error`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def decode_node(message: Json) -> nodes.Node:
    """The node, with its children."""
    decoder = _NODES.get(message["op"])
    if decoder is None:
        raise Unsupported(f"operator {message['op']} is not known to this version of the engine")
    return decoder(
        message,
        {
            "id": message["id"],
            "output": tuple(map(_attribute, message["output"])),
            "children": tuple(map(decode_node, message["children"])),
        },
    )


def node_classes(kind: type[nodes.Node] = nodes.Node) -> Iterator[type[nodes.Node]]:
    """The classes of all nodes."""
    for own in kind.__subclasses__():
        yield own
        yield from node_classes(own)


def _attribute(message: Json) -> nodes.Attribute:
    return nodes.Attribute(message["name"], parse_type(message["type"]), message["nullable"])


def _file_scan(message: Json, common: dict[str, Any]) -> nodes.Node:
    names = [*message["dataColumns"], *message["partitionColumns"]]
    return nodes.FileScan(
        **common,
        format=message["format"],
        options=message["options"],
        data_columns=tuple(message["dataColumns"]),
        partition_columns=tuple(message["partitionColumns"]),
        partition_ordinals=tuple(range(len(message["partitionColumns"]))),
        filters=tuple(map(decode_expression, message["filters"])),
        filter_columns=tuple(
            replace(column, name=name) for column, name in zip(common["output"], names, strict=True)
        ),
    )


def _file_write(message: Json, common: dict[str, Any]) -> nodes.Node:
    return FileWrite(
        **common,
        format=message["format"],
        options=message["options"],
        data_columns=tuple(message["dataColumns"]),
        partition_columns=tuple(message["partitionColumns"]),
        first_columns=tuple(message["firstColumns"]),
        nan_columns=tuple(message["nanColumns"]),
        max_records=message["maxRecords"],
        target_bytes=message["targetBytes"],
        statistics=tuple(map(_aggregate, message["statistics"])),
    )


def _row_source(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.RowSource(**common, source=message["source"])


def _filter(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.Filter(**common, condition=decode_expression(message["condition"]))


def _project(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.Project(
        **common, expressions=tuple(map(decode_expression, message["expressions"]))
    )


def _hash_aggregate(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.HashAggregate(
        **common,
        grouping=tuple(map(decode_expression, message["grouping"])),
        aggregates=tuple(map(_aggregate, message["aggregates"])),
        results=tuple(map(decode_expression, message["results"])),
    )


def _sort(message: Json, common: dict[str, Any]) -> nodes.Node:
    order = tuple(map(decode_sort_order, message["order"]))
    return nodes.Sort(**common, order=order, limit=message["limit"])


def _limit(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.Limit(**common, limit=message["limit"], offset=message["offset"])


def _union(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.Union(**common)


def _coalesce(message: Json, common: dict[str, Any]) -> nodes.Node:
    return row_nodes.Coalesce(**common)


def _hash_join(message: Json, common: dict[str, Any]) -> nodes.Node:
    return joins.HashJoin(
        **_join(message, common),
        left_keys=tuple(map(decode_expression, message["leftKeys"])),
        right_keys=tuple(map(decode_expression, message["rightKeys"])),
        null_aware=message["nullAware"],
    )


def _nested_loop_join(message: Json, common: dict[str, Any]) -> nodes.Node:
    return joins.NestedLoopJoin(**_join(message, common))


def _join(message: Json, common: dict[str, Any]) -> dict[str, Any]:
    condition = message["condition"]
    return {
        **common,
        "join_type": message["joinType"],
        "build_side": message["buildSide"],
        "condition": decode_expression(condition) if condition is not None else None,
    }


def _window(message: Json, common: dict[str, Any]) -> nodes.Node:
    return windows.Window(
        **common,
        partition=tuple(map(decode_expression, message["partition"])),
        order=tuple(map(decode_sort_order, message["order"])),
        functions=tuple(map(_window_function, message["functions"])),
    )


def _window_group_limit(message: Json, common: dict[str, Any]) -> nodes.Node:
    return windows.WindowGroupLimit(
        **common,
        partition=tuple(map(decode_expression, message["partition"])),
        order=tuple(map(decode_sort_order, message["order"])),
        rank=message["rank"],
        limit=message["limit"],
    )


def _range(message: Json, common: dict[str, Any]) -> nodes.Node:
    return row_nodes.Range(
        **common,
        start=message["start"],
        step=message["step"],
        count=int(message["count"]),
        slices=message["slices"],
    )


def _local_table(message: Json, common: dict[str, Any]) -> nodes.Node:
    data = base64.b64decode(message["data"])
    return row_nodes.LocalTable(**common, data=data, slices=message["slices"])


def _sample(message: Json, common: dict[str, Any]) -> nodes.Node:
    return row_nodes.Sample(
        **common,
        lower=float(message["lower"]),
        upper=float(message["upper"]),
        seed=message["seed"],
    )


def _sample_with_replacement(message: Json, common: dict[str, Any]) -> nodes.Node:
    return row_nodes.SampleWithReplacement(**common)


def _row_ids(message: Json, common: dict[str, Any]) -> nodes.Node:
    columns = tuple(row_nodes.RowColumn(**column) for column in message["columns"])
    return row_nodes.RowIds(**common, columns=columns)


def _expand(message: Json, common: dict[str, Any]) -> nodes.Node:
    return row_nodes.Expand(
        **common,
        projections=tuple(
            tuple(map(decode_expression, projection)) for projection in message["projections"]
        ),
    )


def _generate(message: Json, common: dict[str, Any]) -> nodes.Node:
    generator = message["generator"]
    return row_nodes.Generate(
        **common,
        generator=row_nodes.Generator(
            name=generator["class"],
            children=tuple(map(decode_expression, generator["children"])),
            outer=generator["outer"],
        ),
        required=tuple(message["required"]),
    )


def _shuffle_write(message: Json, common: dict[str, Any]) -> nodes.Node:
    partitioning = decode_partitioning(
        message["partitioning"], decode_expression, decode_sort_order, decode_value
    )
    return exchanges.ShuffleWrite(**common, partitioning=partitioning)


def _range_sample(message: Json, common: dict[str, Any]) -> nodes.Node:
    order = tuple(map(decode_sort_order, message["order"]))
    return exchanges.RangeSample(**common, order=order, size=message["size"], seed=message["seed"])


def _python(decode: Callable[..., nodes.Node]) -> Callable[[Json, dict[str, Any]], nodes.Node]:
    def decode_(message: Json, common: dict[str, Any]) -> nodes.Node:
        return decode(message, common, PartDecoders(decode_expression, decode_sort_order, _frame))

    return decode_


_NODES: dict[str, Callable[[Json, dict[str, Any]], nodes.Node]] = {
    "FileScan": _file_scan,
    "FileWrite": _file_write,
    "RowSource": _row_source,
    "ShuffleRead": decode_shuffle_read,
    "BroadcastRead": decode_broadcast_read,
    "ShuffleWrite": _shuffle_write,
    "RangeSample": _range_sample,
    "Filter": _filter,
    "Project": _project,
    "HashAggregate": _hash_aggregate,
    "Sort": _sort,
    "Limit": _limit,
    "Union": _union,
    "Coalesce": _coalesce,
    "HashJoin": _hash_join,
    "NestedLoopJoin": _nested_loop_join,
    "Window": _window,
    "WindowGroupLimit": _window_group_limit,
    "Range": _range,
    "LocalTable": _local_table,
    "Sample": _sample,
    "SampleWithReplacement": _sample_with_replacement,
    "RowIds": _row_ids,
    "Expand": _expand,
    "Generate": _generate,
    **{name: _python(decode) for name, decode in PYTHON_NODES.items()},
}


def _aggregate(message: Json) -> nodes.AggregateCall:
    mode = message["mode"]
    updates = mode in {"Partial", "Complete"}
    condition = message["filter"]
    return nodes.AggregateCall(
        name=message["class"],
        mode=mode,
        distinct=message["distinct"],
        type=parse_type(message["type"]),
        nullable=message["nullable"],
        fields=_fields(message, ()),
        argument_types=tuple(parse_type(child["type"]) for child in message["children"]),
        constants=tuple(map(_constant, message["children"])),
        children=tuple(map(decode_expression, message["children"])) if updates else (),
        filter=decode_expression(condition) if updates and condition is not None else None,
        buffers=tuple(
            nodes.BufferAttribute(parse_type(b["type"]), b["nullable"], b["ordinal"])
            for b in message["buffers"]
        ),
    )


def _constant(message: Json) -> Any:
    """The value of a literal, else None."""
    if message["class"] != "Literal":
        return None
    return decode_value(message["value"], parse_type(message["type"]))


def _window_function(message: Json) -> windows.WindowFunction:
    """An aggregate call where the message has a mode, else another window function."""
    frame = _frame(message["frame"])
    if "mode" in message:
        return windows.AggregateWindow(_aggregate(message), frame)
    children = tuple(map(decode_expression, message["children"]))
    return windows.WindowCall(
        name=message["class"],
        type=parse_type(message["type"]),
        fields=_fields(message, children),
        children=children,
        frame=frame,
    )


def _frame(message: Json) -> windows.Frame:
    return windows.Frame(message["type"], _bound(message["lower"]), _bound(message["upper"]))


def _bound(message: Any) -> windows.Bound:
    if message in ("unbounded", "current"):
        return message  # type: ignore[no-any-return]
    if message["class"] == "Interval":
        return windows.Interval(
            message["months"], message["days"], message["microseconds"], message["timeZoneId"]
        )
    bound = decode_expression(message)
    assert isinstance(bound, Literal)
    return bound


def decode_expression(message: Json) -> Expression:
    """The expression, with its children."""
    kind = message["class"]
    type_ = parse_type(message["type"])
    if kind == "BoundReference":
        return BoundReference(message["ordinal"], type_, message["nullable"])
    if kind == "Literal":
        return Literal(decode_value(message["value"], type_), type_)
    children = tuple(map(decode_expression, message["children"]))
    fields_ = _fields(message, children)
    return compared_by_keys(Call(kind, type_, message["nullable"], children, fields_))


def decode_sort_order(message: Json) -> SortOrder:
    """The sort order, with its expression."""
    return SortOrder(
        decode_expression(message["expression"]), message["ascending"], message["nullsFirst"]
    )


def _fields(message: Json, children: tuple[Expression, ...]) -> tuple[tuple[str, Any], ...]:
    decoded = dict(message.get("fields", {}))
    if "hset" in decoded:
        decoded["hset"] = tuple(decode_value(value, children[0].type) for value in decoded["hset"])
    return tuple(sorted((snake_case(k), _frozen(v)) for k, v in decoded.items()))


def _frozen(value: Any) -> Any:
    """Lists and objects as hashable values, so that equal expressions can be found."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    return value


def decode_value(value: Any, type_: DataType) -> Any:
    """The Python form of a literal of `type_`; see `Literal`."""
    if value is None:
        return None
    if type_.is_floating:
        return float(value.replace("Infinity", "inf"))
    if type_.is_decimal:
        return int(value)
    if type_.name == "binary":
        return base64.b64decode(value)
    if isinstance(type_, ArrayType):
        return tuple(decode_value(element, type_.element) for element in value)
    if isinstance(type_, StructType):
        fields_ = zip(value, type_.fields, strict=True)
        return tuple(decode_value(part, field.type) for part, field in fields_)
    return value
