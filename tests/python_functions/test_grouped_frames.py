"""Groups as slices of one frame, results converted together: all as PySpark's worker does it."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyspark
import pytest
from pyspark import cloudpickle
from pyspark.sql import types

from broadhead.errors import UserError
from broadhead.operators.python.grouped_inputs import cut_group
from broadhead.operators.user_functions import GroupedRows
from broadhead.plan.python_nodes import PythonArgument, PythonCall, PythonCalls
from broadhead.types import LONG
from broadhead.worker.user_functions import collected_frames, grouped_frames
from broadhead.worker.user_functions.pyspark_functions import PySparkFunctions
from python_functions.frame_cases import RESULTS

OLDER = tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 2)
COPIES = int(pd.__version__.split(".")[0]) >= 3
pytestmark = pytest.mark.skipif(
    not (OLDER and COPIES), reason="PySpark has other steps since 4.2, pandas copied before 3"
)

SIZES = (3, 1, 4, 2)
STARTS = [sum(SIZES[:number]) for number in range(len(SIZES))]
ENDS = [start + size for start, size in zip(STARTS, SIZES, strict=True)]
DAY = datetime.datetime(2020, 3, 29, 0, 30, tzinfo=datetime.UTC)
HOURS = [DAY + datetime.timedelta(hours=n) for n in range(10)]
COLUMNS: dict[str, pa.Array] = {
    "long": pa.array(range(10), pa.int64()),
    "short": pa.array(range(10), pa.int16()),
    "real": pa.array([0.5, -0.0, 2, 3, float("inf"), 5, 6, 7, 8, 9], pa.float64()),
    "single": pa.array(range(10), pa.float32()),
    "flag": pa.array([n % 2 == 0 for n in range(10)]),
    "text": pa.array([f"t{n}" for n in range(10)]),
    "day": pa.array([DAY.date()] * 10, pa.date32()),
    "moment": pa.array(HOURS, pa.timestamp("us", "Europe/Berlin")),
    "local": pa.array([hour.replace(tzinfo=None) for hour in HOURS], pa.timestamp("us")),
    "money": pa.array([decimal.Decimal(n) / 4 for n in range(10)], pa.decimal128(9, 2)),
    "bytes": pa.array([b"x"] * 10),
    "list": pa.array([[n, None] for n in range(10)], pa.list_(pa.int64())),
    "struct": pa.array([{"a": n, "b": f"b{n}"} for n in range(10)]),
    "map": pa.array([[("k", n)] for n in range(10)], pa.map_(pa.string(), pa.int64())),
    "none": pa.array([None] * 10, pa.int64()),
    "far": pa.array([DAY.date(), *[datetime.date(9999, 12, 31)] * 9], pa.date32()),
}


PAIR = types.StructType(
    [types.StructField("x", types.LongType()), types.StructField("y", types.StringType())]
)
TYPES: dict[str, types.DataType] = {
    "int": types.IntegerType(),
    "long": types.LongType(),
    "double": types.DoubleType(),
    "boolean": types.BooleanType(),
    "string": types.StringType(),
    "date": types.DateType(),
    "timestamp": types.TimestampType(),
    "timestamp_ntz": types.TimestampNTZType(),
    "decimal": types.DecimalType(9, 2),
    "binary": types.BinaryType(),
    "interval": types.DayTimeIntervalType(),
    "longs": types.ArrayType(types.LongType()),
    "pair": PAIR,
    "map": types.MapType(types.StringType(), types.LongType()),
}


def with_nulls(array: pa.Array, rows: set[int]) -> pa.Array:
    values = [None if number in rows else value for number, value in enumerate(array.to_pylist())]
    return pa.array(values, array.type)


def table(**columns: pa.Array) -> pa.RecordBatch:
    key = pa.array(np.repeat(range(len(SIZES)), SIZES), pa.int64())
    return pa.record_batch({"k": key, **columns})


NUMBERS = table(x=COLUMNS["real"], n=COLUMNS["long"])


def calls(function: Any, schema: str, width: int, limit: int, **conf: str) -> PythonCalls:
    """The call for all columns, of which the first is the key."""
    fields = (field.split(" ") for field in schema.split(", "))
    returns = types.StructType([types.StructField(name, TYPES[kind]) for name, kind in fields])
    values = range(width)
    offsets = (width + 2, 1, 0, *values)
    call = PythonCall(
        name="f",
        commands=(cloudpickle.dumps((function, returns)),),
        arguments=tuple(PythonArgument(None, offset) for offset in offsets),
        type=LONG,
        deterministic=True,
        result_id=0,
    )
    settings = {
        "spark.sql.session.timeZone": "Europe/Berlin",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(limit),
        "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName": "true",
        **{key.replace("__", "."): value for key, value in conf.items()},
    }
    return PythonCalls(
        eval_type=grouped_frames.GROUPED_MAP,
        calls=(call,),
        input_schema="",
        profiler=None,
        conf=settings,
    )


def outcome(results: Any) -> tuple[Any, int]:
    """The type and the rows of results, or the error; and the number of batches."""
    batches = []
    try:
        batches.extend(results)
    except UserError as error:
        cause = error.__cause__
        return (type(cause), str(cause)), len(batches)
    rows = [row for batch in batches for row in batch.column(0).to_pylist()]
    return (batches[0].schema, repr(rows)), len(batches)


def compared(
    function: Any, schema: str, rows: pa.RecordBatch = NUMBERS, limit: int = 10_000, **conf: str
) -> int:
    """The number of batches of the results, which are PySpark's."""
    functions = calls(function, schema, rows.num_columns, limit, **conf)
    groups = [(cut_group(rows, a, b, limit),) for a, b in zip(STARTS, ENDS, strict=True)]
    expected, _ = outcome(PySparkFunctions().over_groups(functions, groups))
    grouped = [GroupedRows(rows, STARTS, ENDS)]
    found, batches = outcome(PySparkFunctions().over_grouped_rows(functions, grouped))
    assert found == expected
    return batches


def described(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
    """All that a function can see of its input."""
    seen = [type(key[0]).__name__, repr(key), repr(frame.index), repr(frame.columns)]
    seen += [repr(frame.dtypes.to_dict()), repr(frame.attrs), repr(frame.flags)]
    for name in frame:
        column = frame[name]
        seen += [repr([(type(value), value) for value in column]), repr(column.to_numpy().flags)]
    return pd.DataFrame({"seen": ["\n".join(seen)]})


def test_steps_are_known() -> None:
    assert grouped_frames._is_known()


NULLS = {"no nulls": set(), "some nulls": {0, 1, 5}, "a group of nulls": {3}, "last": {9}}


@pytest.mark.parametrize("nulls", NULLS)
@pytest.mark.parametrize("name", COLUMNS)
def test_frames(name: str, nulls: str) -> None:
    column = with_nulls(COLUMNS[name], NULLS[nulls])
    rows = table(x=column)
    assert compared(described, "seen string", rows) == 1
    # several batches in a group, and parts of one group each
    compared(described, "seen string", rows, limit=2)


@pytest.mark.parametrize("name", COLUMNS)
def test_keys(name: str) -> None:
    values = COLUMNS[name].take(pa.array(np.repeat(range(len(SIZES)), SIZES)))
    for column in (values, with_nulls(values, {0, 1, 2})):
        compared(described, "seen string", pa.record_batch({"k": column, "n": COLUMNS["long"]}))


def test_equal_names() -> None:
    rows = pa.RecordBatch.from_arrays([*NUMBERS.columns], ["k", "x", "x"])
    compared(lambda frame: pd.DataFrame({"n": [repr(frame)]}), "n string", rows)


def test_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups are converted some at a time."""
    for most in (1, 4, 7):
        monkeypatch.setattr(grouped_frames, "MOST_ROWS", most)
        compared(described, "seen string")


BY_POSITION = {"spark__sql__legacy__execution__pandas__groupedMap__assignColumnsByName": "false"}
SETTINGS: dict[str, dict[str, str]] = {
    "by name": {},
    "by position": BY_POSITION,
    "safe": {"spark__sql__execution__pandas__convertToArrowArraySafely": "true"},
    "large types": {"spark__sql__execution__arrow__useLargeVarTypes": "true"},
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", RESULTS)
def test_results(name: str, settings: str) -> None:
    function, schema = RESULTS[name]
    compared(function, schema, **SETTINGS[settings])
    compared(function, schema, limit=2, **SETTINGS[settings])


@pytest.mark.parametrize(
    "name", ["numbers", "unchanged", "texts", "times", "nested", "other_dtypes"]
)
def test_results_come_together(name: str) -> None:
    assert compared(*RESULTS[name]) == 1


@pytest.mark.parametrize("name", ["long", "real", "text", "day", "moment", "money"])
def test_columns_are_converted_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    load = grouped_frames.GroupedFrames._load
    monkeypatch.setattr(
        grouped_frames.GroupedFrames, "_load", lambda *a: loaded.append(1) or load(*a)
    )
    compared(described, "seen string", table(x=COLUMNS[name]))
    assert len(loaded) == 1


def test_results_that_differ_come_in_order() -> None:
    assert compared(*RESULTS["columns_in_other_orders"]) == len(SIZES)


def test_results_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collected_frames, "LONGEST", 0.0)
    assert compared(*RESULTS["numbers"]) == len(SIZES)
    monkeypatch.setattr(collected_frames, "LONGEST", 1000.0)
    monkeypatch.setattr(collected_frames, "MOST_ROWS", 2)
    assert compared(*RESULTS["numbers"]) == 2


def test_other_steps_are_pysparks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of PySpark with other steps takes its own."""
    monkeypatch.setattr(grouped_frames, "_is_known", lambda: False)
    assert compared(*RESULTS["numbers"]) == len(SIZES)


def test_no_frame_is_asked_for() -> None:
    """A function whose arguments are not a frame and a key is PySpark's to refuse."""
    compared(lambda a, b, c: a, "k long")
    compared(lambda *a: a[0], "k long, x double, n long")
