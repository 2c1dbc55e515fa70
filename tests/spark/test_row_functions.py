"""Functions of rows, `pyspark.sql.functions.udf`: what they get and give is Spark's."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import cloudpickle
from pyspark.errors import PythonException
from pyspark.sql import Row
from pyspark.sql import functions as F

from broadhead.explanation import explain
from local_session import local_session
from sql_sessions import compare_with_kept, configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

udf = partial(F.udf, useArrow=False)
"""From Spark 4.2 on functions of rows get Arrow's values unless they say otherwise."""

COLUMNS = {
    "boolean": ("true",),
    "tinyint": ("cast(-128 as tinyint)",),
    "smallint": ("cast(-300 as smallint)",),
    "int": ("-1", "2147483647"),
    "bigint": ("9223372036854775807",),
    "float": ("cast(0.1 as float)", "cast('NaN' as float)"),
    "double": ("0.1D", "-0.0D", "cast('Infinity' as double)"),
    "string": ("'a'", "'äé😀'", "''"),
    "binary": ("X'00ff'", "X''"),
    "decimal(10,2)": ("1.25", "-0.01", "0"),
    "decimal(38,18)": ("12345678901234567890.123456789012345678", "0"),
    "date": ("date'2020-02-29'", "date'0001-01-01'", "date'9999-12-31'"),
    "timestamp": ("timestamp'2020-02-29 01:02:03.456789'", "timestamp'1969-12-31 23:59:59.5'"),
    "timestamp_ntz": ("timestamp_ntz'0001-01-01 00:00:00'", "timestamp_ntz'1969-12-31 23:59:59'"),
    "interval day to second": ("interval '-1 02:03:04.000001' day to second",),
    "array<int>": ("array(1, null)", "array()"),
    "array<struct<d:date>>": ("array(struct(date'2020-02-29'), null)",),
    "map<string,int>": (
        "map_from_arrays(transform(sequence(1, 30), x -> concat('key', x)), sequence(1, 30))",
        "map('zeta', 1, 'alpha', 2, 'b', null, 'äö', 4)",
    ),
    "map<bigint,date>": ("map(-1L, date'2020-02-29', 4294967296L, null, 5L, date'1950-01-01')",),
    "map<decimal(10,2),int>": ("map(1.50, 1, -2.25, 2, 10000000.00, 3)",),
    "map<double,int>": ("map(1.5D, 1, -2.5D, 2, 1e10D, 3)",),
    "struct<a:timestamp,b:struct<c:int,d:binary>>": (
        "struct(timestamp'2020-02-29 01:02:03', struct(1, X'ff'))",
    ),
}  # fmt: skip
"""Values of each type; a row of nulls comes last."""


def shown(*arguments: Any, **named: Any) -> str:
    """All that a function can see of its arguments, but for the order of dicts."""
    types = [type(argument).__name__ for argument in arguments]
    return repr((tuple(map(in_order, arguments)), named, types))


def in_order(value: Any) -> Any:
    """A dict as its sorted entries."""
    return sorted(value.items(), key=repr) if isinstance(value, dict) else value


OF_ANY_TYPE = (
    *(True, 1, -1, 128, 70000, 2**31, -(2**31) - 1, 2**63, 1.5, float("nan"), 1e300, None),
    *("x", b"ab", bytearray(b"cd"), Decimal("1.005"), Decimal("1E+2"), [1, "a"], (1, 2), {"a": 1}),
    *(dt.timedelta(1), dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)),
)

RESULTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "binary"),
        OF_ANY_TYPE,
    ),
    "decimal(5,2)": OF_ANY_TYPE,
    "decimal(38,10)": OF_ANY_TYPE,
    "string": ("x", "ä", 1, 2**70, True, None),
    "date": (dt.date(1970, 1, 1), dt.date.max, dt.date.min, dt.datetime(2020, 1, 2, 3), None),
    "timestamp": (
        dt.datetime(1970, 1, 1, 0, 0, 1),
        dt.datetime(2500, 1, 1),
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        None,
    ),
    "timestamp_ntz": (dt.datetime(1970, 1, 1, 0, 0, 1), dt.datetime.min, None),
    "interval day to second": (dt.timedelta(1), dt.timedelta(microseconds=-1), None),
    "array<int>": ([1, None, "x", 2**40], (1, 2), [], None, 5, "abc", {"a": 1}),
    "array<array<string>>": ([["a", None], None, []], None, [5]),
    "array<date>": ([dt.date(2020, 1, 1), None], None),
    "map<string,int>": (
        {"zeta": 1, "alpha": 2, "b": 3, "x1": None, "longer key": 5, "äö": 6},
        *({}, None, {"a": 1}, [1], {1: 2, 2**40: 1}),
        {f"k{number}": number for number in range(30)},
    ),
    "map<bigint,double>": ({i * 7919: float(i) for i in range(40)}, {-1: 1.0, 2**40: 2.0, 3: 1}),
    "map<decimal(10,2),int>": ({Decimal("1.50"): 1, Decimal("-2.25"): 2, Decimal(1000): 3},),
    "struct<a:int,b:string,c:date>": (
        (1, "x", dt.date(2020, 1, 1)),
        {"a": 2, "c": None},
        Row(a=1, b="y", c=None),
        [1, 2, None],
        None,
    ),
    "array<struct<a:int,b:string>>": ([(1, "x"), None, {"a": 2}], [], None),
}


def calls_row_functions(frame: DataFrame) -> None:
    """The functions run in a fragment."""
    found = [node for node in explain(frame).nodes if node.name.endswith("BatchEvalPython")]
    assert found
    assert all(node.accelerated for node in found), explain(frame)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Views: `typed` with a column of each type, `numbered` with the numbers below 40."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    session = local_session()
    session.conf.set("spark.broadhead.costModel.enabled", "false")
    folder = tmp_path_factory.mktemp("rows")
    rows = max(map(len, COLUMNS.values()))
    with configured(session, {"spark.broadhead.enabled": "false"}):
        selects = [
            ", ".join(
                f"cast({values[row % len(values)] if row < rows else 'null'} as {name}) c{number}"
                for number, (name, values) in enumerate(COLUMNS.items())
            )
            for row in range(rows + 1)
        ]
        typed = session.sql(" union all ".join(f"select {select}" for select in selects))
        typed.coalesce(1).write.parquet(str(folder / "typed"))
        session.range(0, 40, 1, 1).write.parquet(str(folder / "numbered"))
    for name in ("typed", "numbered"):
        session.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    yield session
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def test_arguments_of_all_types(session: SparkSession) -> None:
    show = udf(shown, returnType="string")
    typed = session.table("typed")
    calls = [show(column) for column in typed.columns if column != "c8"]
    frame = compare_with_kept(session, lambda: typed.select(*calls, show(*typed.columns[:8])))
    calls_row_functions(frame)


@pytest.mark.parametrize("as_bytes", ["true", "false"])
def test_binary_arguments(session: SparkSession, as_bytes: str) -> None:
    show = udf(shown, returnType="string")
    with configured(session, {"spark.sql.execution.pyspark.binaryAsBytes": as_bytes}):
        compare_with_kept(session, lambda: session.table("typed").select(show("c8")))


@pytest.mark.parametrize("data_type", RESULTS)
def test_results_of_all_types(session: SparkSession, data_type: str) -> None:
    values = RESULTS[data_type]
    called = udf(lambda number: values[number % len(values)], returnType=data_type)("id").alias(
        "value"
    )

    def made() -> DataFrame:
        found = session.table("numbered").select("id", called)
        if not data_type.startswith("map"):
            return found
        # an order of entries is not promised
        return found.select("id", F.array_sort(F.map_entries("value")))

    calls_row_functions(compare_with_kept(session, made))


def test_chains_names_and_no_arguments(session: SparkSession) -> None:
    add = udf(lambda x: None if x is None else x + 1, returnType="bigint")
    named = udf(lambda x, y=5: x * y, returnType="bigint")
    seven = udf(lambda: 7, returnType="int")
    numbered = session.table("numbered")
    for columns in (
        (add(add("id")), named("id", y=F.lit(3)), named(F.col("id")), seven(), "id"),
        (seven(),),
        (seven(), seven()),
    ):
        frame = compare_with_kept(session, lambda columns=columns: numbered.select(*columns))
        calls_row_functions(frame)
        assert replayed(frame) == 0


def test_errors_are_the_functions_own(session: SparkSession) -> None:
    failing = udf(lambda number: 1 // (number - 20), returnType="int")
    with pytest.raises(PythonException, match="ZeroDivisionError"):
        session.table("numbered").select(failing("id")).collect()
