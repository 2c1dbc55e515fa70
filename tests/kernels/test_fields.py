"""Values of separated fields: only kernels of a GPU read them."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from broadhead.kernels.interface import Kernels
from broadhead.kernels.interface.fields import FieldLayout, FieldValues, WantedField
from broadhead.types import parse_type

LAYOUT = FieldLayout(
    fields=3,
    separator=ord(","),
    quote=ord('"'),
    escape=ord("\\"),
    comment=None,
    any_line_end=True,
    null_word=b"NA",
    empty_is_null=True,
    most_characters=-1,
)


def read(k: Kernels, text: str, *types: str) -> FieldValues | None:
    wanted = [WantedField(n, parse_type(type_)) for n, type_ in enumerate(types)]
    if os.environ["BROADHEAD_TEST_KERNELS"] == "arrow":
        assert not k.fields.can_read(wanted)
        pytest.skip("the scan reads the lines on the host")
    assert k.fields.can_read(wanted)
    content = text.encode()
    block = k.fields.staging(len(content))
    block[: len(content)] = content
    return k.fields.read(block, LAYOUT, wanted)


def values(k: Kernels, found: FieldValues | None, *types: str) -> list[list[Any]]:
    assert found is not None
    return [
        k.columns.to_arrow(column, parse_type(type_)).to_pylist()
        for column, type_ in zip(found.columns, types, strict=True)
    ]


def test_values_and_nulls(k: Kernels) -> None:
    types = ("long", "string", "decimal(9,2)")
    text = '1,"a, b",1.5\n-2,,NA\n,ä€😀,-0.25\n9223372036854775807,"",12\n'
    # more digits than those of plain numbers
    text = text.replace("9223372036854775807", "922337203685477580")
    found = read(k, text, *types)
    assert values(k, found, *types) == [
        [1, -2, None, 922337203685477580],
        ["a, b", None, "ä€😀", None],
        [Decimal("1.50"), None, Decimal("-0.25"), Decimal("12.00")],
    ]
    assert found is not None
    assert found.unparsed is None


def test_times_and_others(k: Kernels) -> None:
    types = ("date", "timestamp", "double")
    text = "2020-02-29,1969-12-31 23:59:59.5,0.1\r\n1582-10-10,2020-02-29T00:00:01,-12.5\r\n"
    days, moments, doubles = values(k, read(k, text, *types), *types)
    assert days == [date(2020, 2, 29), date(1582, 10, 10)]
    assert [moment.astimezone(UTC) for moment in moments] == [
        datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC),
        datetime(2020, 2, 29, 0, 0, 1, tzinfo=UTC),
    ]
    assert doubles == [0.1, -12.5]


def test_small_types(k: Kernels) -> None:
    types = ("byte", "short", "boolean")
    found = read(k, "127,-32768,true\n-128,,FALSE\n", *types)
    assert values(k, found, *types) == [[127, -128], [-32768, None], [True, False]]


def test_unparsed_values(k: Kernels) -> None:
    lines = [f"{n},x,1" for n in range(100)]
    lines[7], lines[40] = "007,x,1", "40,x,1.234"
    types = ("integer", "string", "decimal(4,2)")
    found = read(k, "\n".join([*lines, ""]), *types)
    assert found is not None
    assert np.flatnonzero(found.unparsed).tolist() == [7, 40]
    ids = values(k, found, *types)[0]
    assert ids[6:9] == [6, None, 8]


def test_many_rows(k: Kernels) -> None:
    types = ("integer", "string")
    rows = 300_000
    found = read(k, "".join(f"{n},{'x' * (n % 40)},\n" for n in range(rows)), *types)
    ids, texts = values(k, found, *types)
    assert ids == list(range(rows))
    assert texts == ["x" * (n % 40) or None for n in range(rows)]


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n",
        "1,2,3,4\n",
        '1,"a""b",3\n',
        '1,a"b,"3\n',
        '1,"a\nb",3\n',
        "1,\0,3\n",
        "1,2\r,3\n",
        '1,"\\",3\n',
        "1,a,1\n\n",
        "007,a,1\n",
    ],
    ids=repr,
)
def test_lines_that_are_not_plain(k: Kernels, text: str) -> None:
    assert read(k, text, "integer", "string", "integer") is None
