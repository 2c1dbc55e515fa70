"""Decoding of a fragment from the JSON that the plugin writes; see docs/wire-format.md."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from broadhead.errors import Unsupported
from broadhead.plan import nodes
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.types import DataType, parse_type

FORMAT = 1

Json = Mapping[str, Any]


def decode_fragment(text: str) -> nodes.Fragment:
    """The fragment that `text` (JSON) describes.

    Raises `Unsupported` for another format number or anything unknown in it.
    """
    message = json.loads(text)
    if message["format"] != FORMAT:
        raise Unsupported(
            f"the plugin sends fragment format {message['format']}, this Python package reads "
            f"{FORMAT}: install the same version of both"
        )
    return nodes.Fragment(
        root=decode_node(message["root"]),
        settings=_settings(message["settings"]),
        zones={
            name: nodes.Zone(tuple(zone["transitions"]), tuple(zone["offsets"]))
            for name, zone in message["zones"].items()
        },
    )


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


def _attribute(message: Json) -> nodes.Attribute:
    return nodes.Attribute(message["name"], parse_type(message["type"]), message["nullable"])


def _parquet_scan(message: Json, common: dict[str, Any]) -> nodes.Node:
    return nodes.ParquetScan(
        **common,
        data_columns=tuple(message["dataColumns"]),
        partition_columns=tuple(message["partitionColumns"]),
        partition_ordinals=tuple(range(len(message["partitionColumns"]))),
        filters=tuple(map(decode_expression, message["filters"])),
        filter_columns=common["output"],
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


_NODES: dict[str, Callable[[Json, dict[str, Any]], nodes.Node]] = {
    "ParquetScan": _parquet_scan,
    "RowSource": _row_source,
    "Filter": _filter,
    "Project": _project,
    "HashAggregate": _hash_aggregate,
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
        children=tuple(map(decode_expression, message["children"])) if updates else (),
        filter=decode_expression(condition) if updates and condition is not None else None,
        buffers=tuple(
            nodes.BufferAttribute(parse_type(b["type"]), b["nullable"], b["ordinal"])
            for b in message["buffers"]
        ),
    )


def decode_expression(message: Json) -> Expression:
    """The expression, with its children."""
    kind = message["class"]
    type_ = parse_type(message["type"])
    if kind == "BoundReference":
        return BoundReference(message["ordinal"], type_, message["nullable"])
    if kind == "Literal":
        return Literal(decode_value(message["value"], type_), type_)
    children = tuple(map(decode_expression, message["children"]))
    return Call(kind, type_, message["nullable"], children, _fields(message, children))


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
    return value
