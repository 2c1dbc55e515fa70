"""Values of texts: the forms that are read as columns, among others that are read one by one.

tests/functions/cast_string_to_*.sql and tests/spark/test_random_texts.py ask Spark for many more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.interface import Kernels
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
    decimal,
)
from kernels.physical import FAILED, array, check_checked, mask, values

INFINITY, NAN = math.inf, math.nan
PLAIN_NUMBERS = {"0": 0, "12": 12, "-7": -7, "007": 7, "123456789": 123456789}


def check_texts(
    k: Kernels, function: Callable[[Any], Any], to: DataType, cases: dict[str, Any]
) -> None:
    """All texts together, and each alone."""
    check_checked(k, function, [([*cases, None], STRING)], to, [*cases.values(), None])
    for text, value in cases.items():
        check_checked(k, function, [([text, text], STRING)], to, [value, value])


def test_plain_integers(k: Kernels) -> None:
    def read(data: Any) -> Any:
        return k.parse.integers(data, INTEGER, fraction=False)

    check_texts(k, read, INTEGER, PLAIN_NUMBERS)


@pytest.mark.parametrize("fraction", [False, True])
def test_integers(k: Kernels, *, fraction: bool) -> None:
    cut = {"1.9": 1, "-1.9": -1, "5.": 5, ".5": 0, "-.": 0, "1." + "0" * 40: 1}
    cases = {
        "0": 0, "12": 12, "+12": 12, " 7\t": 7, "\x7f7\x00": 7, "0" * 40 + "1": 1,
        "127": 127, "128": FAILED, "-128": -128, "-129": FAILED, str(2**64): FAILED,
        "": FAILED, "-": FAILED, "1e1": FAILED, "0x1": FAILED, "٣": FAILED, "1\x851": FAILED,
        "1.x": FAILED, "1.2.3": FAILED, "+-1": FAILED,
        **(cut if fraction else dict.fromkeys(cut, FAILED)),
    }  # fmt: skip
    check_texts(k, lambda d: k.parse.integers(d, BYTE, fraction=fraction), BYTE, cases)


def test_longs(k: Kernels) -> None:
    cases = {
        str(2**63 - 1): 2**63 - 1, str(-(2**63)): -(2**63), str(2**63): FAILED,
        str(-(2**63) - 1): FAILED,
    }  # fmt: skip
    check_texts(k, lambda d: k.parse.integers(d, LONG, fraction=False), LONG, cases)


def test_booleans(k: Kernels) -> None:
    words = {"t": True, "TRUE": True, " yes\n": True, "Y": True, "1": True, "f": False}
    more = {"false": False, "No": False, "n": False, "\x7f0": False, "2": FAILED, "": FAILED}
    check_texts(k, k.parse.booleans, BOOLEAN, {**words, **more, "ｔ": FAILED})


def test_plain_doubles(k: Kernels) -> None:
    cases = {"0": 0.0, "-0.00": -0.0, "12.34": 12.34, "-0.1": -0.1, "999999999.99": 999999999.99}
    check_texts(k, lambda d: k.parse.floats(d, DOUBLE), DOUBLE, cases)


def test_doubles(k: Kernels) -> None:
    cases = {
        "1.5": 1.5, " 1.5 ": 1.5, "+.5": 0.5, "5.": 5.0, "1e3": 1000.0, "1E-400": 0.0,
        "-1e400": -INFINITY, "1d": 1.0, "1.5F": 1.5, "NaN": NAN, "-NaN": NAN, "nan": NAN,
        "-nan": FAILED, "Infinity": INFINITY, "-INF": -INFINITY, "+inf": INFINITY,
        "0x1.8p1": 3.0, "-0X.8P-1d": -0.25, "0x1p1024": INFINITY, "0x1": FAILED, ".": FAILED,
        "": FAILED, "1_0": FAILED, "\x7f1": FAILED, "1e": FAILED, "٣": FAILED,
        "9007199254740993": 9007199254740992.0, "9007199254740993.00001": 9007199254740994.0,
    }  # fmt: skip
    check_texts(k, lambda d: k.parse.floats(d, DOUBLE), DOUBLE, cases)


def test_floats_are_rounded_once(k: Kernels) -> None:
    cases = {
        "0.5": 0.5, "16777217": 16777216.0, "16777217.0000000000000000001": 16777218.0,
        "16777217.0000000000000000001f": 16777218.0, "0x1.000001p0": 1.0,
        "0x1.00000100000000000001p0": 1.0000001192092896, "3.4028236E38": INFINITY,
        "1e39f": INFINITY, "0x1p-149": 2.0**-149, "0x1p-150": 0.0,
        "0x1.0000000000001p-150": 2.0**-149,
        "-0x0p0": -0.0, "x": FAILED,
    }  # fmt: skip
    check_texts(k, lambda d: k.parse.floats(d, FLOAT), FLOAT, cases)


def test_plain_decimals(k: Kernels) -> None:
    cases = {"0": 0, "12.34": 1234, "-0.5": -50, "00001": 100, "12345678.90": 1234567890}
    check_texts(k, lambda d: k.parse.decimals(d, 10, 2), decimal(10, 2), cases)


def test_decimals(k: Kernels) -> None:
    cases = {
        "1.005": 101, "-1.005": -101, "1.00499999999999999999999": 100, "999.994": 99999,
        "999.995": FAILED, "1000": FAILED, " .5": 50, "5.": 500, "1e2": 10000, "1E-2": 1,
        "1e99": FAILED, "0e99": 0, "1e2147483648": FAILED, "٣.٥": 350, "𝟙": FAILED, "": FAILED,
        ".": FAILED, "-": FAILED, "1,5": FAILED, "NaN": FAILED, "\x7f1": FAILED,
        "0" * 50 + "1": 100,
    }  # fmt: skip
    check_texts(k, lambda d: k.parse.decimals(d, 5, 2), decimal(5, 2), cases)


def test_wide_decimals(k: Kernels) -> None:
    digits = "12345678901234567890123456789012345678"
    cases = {digits: int(digits), f"-{digits}.5": -int(digits) - 1, "1": 1, "9" * 39: FAILED}
    check_texts(k, lambda d: k.parse.decimals(d, 38, 0), decimal(38, 0), cases)
    small = {"1": FAILED, "-0.5": -5 * 10**37, "1e-38": 1, "4e-39": 0, "5e-39": 1}
    check_texts(k, lambda d: k.parse.decimals(d, 38, 38), decimal(38, 38), small)


def test_tiny_exponents_of_decimals_are_left_to_spark(k: Kernels) -> None:
    with pytest.raises(EngineLimit, match="exponent"):
        k.parse.decimals(array(k, ["1", "1e-2000000000"], STRING), 5, 2)


def test_bytes_that_are_not_utf8(k: Kernels) -> None:
    texts = pa.array([b"1", b"\xff", b"1\xc3", b"\xe2\x82"]).cast(pa.binary())
    strings = pa.Array.from_buffers(pa.string(), 4, texts.buffers())
    data = k.columns.from_arrow(strings, STRING)
    for found, failed in (
        k.parse.integers(data, INTEGER, fraction=True),
        k.parse.floats(data, DOUBLE),
        k.parse.decimals(data, 5, 2),
        k.parse.booleans(data),
    ):
        assert k.columns.null_count(found) == 3
        assert k.logic.any(failed)


def test_plain_dates(k: Kernels) -> None:
    cases = {"1970-01-01": 0, "1969-12-31": -1, "2020-02-29": 18321, "9999-12-31": 2932896}
    check_texts(k, k.parse.dates, DATE, cases)


def test_dates(k: Kernels) -> None:
    cases = {
        "1970-01-02": 1, "2021-02-29": FAILED, "1970-1-2": 1, "1970-01": 0, "1970": 0,
        "1970-01-02 x": 1, "1970-01-02T": 1, "1970-01T": FAILED, " 1970-01-02\x7f": 1,
        "0000-01-01": -719528, "-0001-01-01": -719893, "+1970-01-02": 1, "19700102": FAILED,
        "5881580-07-11": 2**31 - 1, "5881580-07-12": FAILED, "99999999": FAILED, "": FAILED,
        "1970-13-01": FAILED, "1970-00-01": FAILED, "1970-01-32": FAILED, "today": FAILED,
        "1970-01-0٢": FAILED,
    }  # fmt: skip
    check_texts(k, k.parse.dates, DATE, cases)


def check_moments(k: Kernels, cases: dict[str, tuple[Any, bool]]) -> None:
    """Timestamps and whether they are in UTC; the local ones must fail for the same texts."""
    for texts in ([*cases, None], *([text, text, None] for text in cases)):
        wanted = [(None, False) if text is None else cases[text] for text in texts]
        data = array(k, texts, STRING)
        micros, zoned, failed = k.parse.timestamps(data)
        lost = [value is FAILED for value, _ in wanted]
        assert values(k, micros, LONG) == [None if v is FAILED else v for v, _ in wanted]
        in_utc = zip(mask(k, zoned, len(texts)), wanted, strict=True)
        assert all(found == utc for found, (v, utc) in in_utc if v not in {None, FAILED})
        assert mask(k, failed, len(texts)) == lost
        assert mask(k, k.parse.local_timestamps(data)[1], len(texts)) == lost


def test_plain_timestamps(k: Kernels) -> None:
    check_moments(
        k,
        {
            "1970-01-01 00:00:01": (1_000_000, False),
            "1969-12-31 23:59:59": (-1_000_000, False),
            "1970-01-02 00:00:00": (86_400_000_000, False),
        },
    )


def test_timestamps(k: Kernels) -> None:
    cases = {
        "1970-01-01T00:00:01": (1_000_000, False), "1970-01-01": (0, False), "1970": (0, False),
        "1970-1-1 0:0:1": (1_000_000, False), "1970-01-01 00:01": (60_000_000, False),
        "1970-01-01 00:00:00.5": (500_000, False), "1970-01-01 00:00:00.": (0, False),
        "1970-01-01 00:00:00.1234567": (123_456, False), "1970-01-01 00:00:01Z": (1_000_000, True),
        "1970-01-01T00:00:00.1234567Z": (123_456, True),
        "1970-01-01 01:00:00+01:00": (0, True), "1969-12-31 23:00:00.5-01:00": (500_000, True),
        "1970-01-01 01:00:00 +1": (0, True), "1970-01-01 01:00:00UTC+01:00": (0, True),
        "1970-01-01 18:00:00+18:00": (0, True), "1970-01-01 18:00:00+18:01": (FAILED, False),
        "1970-01-01 00:00Z": (FAILED, False), "1970-01-01Z": (FAILED, False),
        "1970-02-30 00:00:00": (FAILED, False), "1970-02-30 00:00:00Z": (FAILED, False),
        "1970-02-30 00:00:00+01:00": (FAILED, False), "1970-01-01 24:00:00": (FAILED, False),
        "1970-01-01 00:00:00 foo": (FAILED, False), "": (FAILED, False), "25:00": (FAILED, False),
        " 1970-01-01 00:00:01\t": (1_000_000, False), "999999-01-01": (FAILED, False),
    }  # fmt: skip
    check_moments(k, cases)


def test_local_timestamps_have_no_zone(k: Kernels) -> None:
    cases = {
        "1970-01-01 00:00:01": 1_000_000, "1970-01-01 00:00:01Z": 1_000_000,
        "1970-01-01 00:00:01.5+01:00": 1_500_000, "1970-01-01 00:00:01 UTC-8": 1_000_000,
        "12:34": FAILED, "1970-01-01 00:00:01 x": FAILED, "1970-01-01 00:00:00.1234567Z": 123_456,
    }  # fmt: skip
    check_texts(k, k.parse.local_timestamps, TIMESTAMP_NTZ, cases)


@pytest.mark.parametrize("text", ["12:34", "T12", "1970-01-01 00:00:00 Europe/Paris"])
def test_moments_that_the_jvm_knows(k: Kernels, text: str) -> None:
    with pytest.raises(EngineLimit, match=r"zone|date"):
        k.parse.timestamps(array(k, ["1970-01-01", text], STRING))
