"""The splits of a scan in the header of a task."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.errors import EngineLimit
from broadhead.files.deletion_vector import DeletionVector
from broadhead.files.fetched_file import FetchedFile
from broadhead.files.input_file import LocalFile
from broadhead.operators.context import Split
from broadhead.plan.decode import decode_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.files.input_file import InputFile
    from broadhead.plan.nodes import FileScan
    from broadhead.worker.socket_files import SocketFiles


def decoded_splits(
    node: FileScan, listed: Sequence[Mapping[str, Any]], files: SocketFiles
) -> Sequence[Split]:
    """The listed splits of a scan, with the partition values of all of its columns.

    Raises `EngineLimit` where the JVM could not find out which rows are deleted.
    """
    types = node.output[len(node.data_columns) :]
    data_types = {attribute.name: attribute.type for attribute in node.output}
    return [
        Split(
            _file(node.id, split, files),
            split["start"],
            split["length"],
            tuple(
                decode_value(value, attribute.type)
                for value, attribute in zip(split["partitionValues"], types, strict=True)
            ),
            {
                name: decode_value(value, data_types[name])
                for name, value in split.get("constants", {}).items()
            },
            _deleted_rows(split),
            split.get("isFiltered", True),
            _deletion_vector(split),
        )
        for split in listed
    ]


def _file(node_id: int, split: Mapping[str, Any], files: SocketFiles) -> InputFile:
    remote = split.get("remote")
    if remote is None:
        return LocalFile(split["path"])
    return FetchedFile(node_id, split["path"], remote["length"], remote["modified"], files)


def _deleted_rows(split: Mapping[str, Any]) -> np.ndarray[Any, Any] | None:
    """The positions of the split's deleted rows.

    Raises `EngineLimit` where the JVM could not find out.
    """
    if split.get("limit") is not None:
        raise EngineLimit(split["limit"])
    encoded = split.get("deletedRows")
    return None if encoded is None else np.frombuffer(base64.b64decode(encoded), "<i8")


def _deletion_vector(split: Mapping[str, Any]) -> DeletionVector | None:
    found = split.get("deletionVector")
    return None if found is None else DeletionVector(found["marked"], found["drops"])
