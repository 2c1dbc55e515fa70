"""Arrays of one value, on pyarrow."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views

SCALARS: list[Any] = [
    pa.scalar(-5, pa.int8()),
    pa.scalar(1 << 62, pa.int64()),
    pa.scalar(-0.0),
    pa.scalar(float("nan"), pa.float32()),
    pa.scalar(True),
    pa.scalar("ä b"),
    pa.scalar(""),
    pa.scalar(b"\x00\xff"),
    pa.scalar(Decimal(-(10**37)), pa.decimal128(38, 0)),
    pa.scalar(date(1969, 12, 31)),
    pa.scalar([1, None]),
    *(pa.scalar(None, type_) for type_ in (pa.int64(), pa.string(), pa.list_(pa.int32()))),
    pa.array(["ab", "cde"])[1],
]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: str(scalar.type))
@pytest.mark.parametrize("length", [0, 1, 5])
def test_a_scalar_fills_an_array(scalar: Any, length: int) -> None:
    found = views.full(scalar, length)
    found.validate(full=True)
    assert found.type == scalar.type
    assert str(found.to_pylist()) == str([scalar.as_py()] * length)


def test_an_array_stays_as_it_is() -> None:
    data = pa.array([1, 2])
    assert views.full(data, 7) is data


@pytest.mark.parametrize("value", ["x" * 1000, b"x" * 1000])
def test_more_bytes_than_an_array_holds_are_refused(value: Any) -> None:
    assert len(views.full(pa.scalar(value), 1000)) == 1000
    with pytest.raises(EngineLimit, match="2147484 rows of a value of 1000 bytes"):
        views.full(pa.scalar(value), 2_147_484)
