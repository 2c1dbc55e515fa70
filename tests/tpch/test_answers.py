"""Every query gives plain Spark's rows, however the plan around it is made.

`make test-tpch SCALE=1` runs all combinations at another scale, as `make test-nightly` does at the
small one; `make test` runs some queries in one of two that differ in each setting. The tests of a
query are a group for `--dist loadgroup`, so that plain Spark runs it once.
"""

from __future__ import annotations

from itertools import product

import pytest

from broadhead.demo.compare import difference
from broadhead.demo.queries import NUMBERS, load_query
from sql_runs import is_nightly
from tpch.conftest import SCALE

ADAPTIVE = "spark.sql.adaptive.enabled"
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
PARTITIONS = "spark.sql.shuffle.partitions"

ALL = [
    {ADAPTIVE: adaptive, BROADCAST: broadcast, PARTITIONS: partitions}
    for adaptive, broadcast, partitions in product(
        ("true", "false"), ("10485760", "-1"), ("1", "7", "200")
    )
]
FEW = [
    {ADAPTIVE: "true", BROADCAST: "10485760", PARTITIONS: "7"},
    {ADAPTIVE: "false", BROADCAST: "-1", PARTITIONS: "1"},
]


BY_DAY = {2, 5, 9, 11, 13, 18, 20, 21}
"""The others are joins and aggregates as these have."""


@pytest.fixture(scope="module")
def expected(run_query):
    """Function that gives plain Spark's columns and rows of a query, computed once."""
    known = {}

    def get(number):
        if number not in known:
            columns, rows, _ = run_query(number, accelerated=False)
            known[number] = (columns, rows)
        return known[number]

    return get


def _name(configuration):
    adaptive, broadcast, partitions = configuration.values()
    joins = "no-broadcast" if broadcast == "-1" else "broadcast"
    return f"{'adaptive' if adaptive == 'true' else 'fixed'}-{joins}-{partitions}"


EACH_QUERY = [
    pytest.param(
        *(configuration, number),
        id=f"{_name(configuration)}-Q{number}",
        marks=[
            pytest.mark.xdist_group(f"Q{number}"),
            *([] if number in BY_DAY else [pytest.mark.nightly]),
        ],
    )
    for number in NUMBERS
    for configuration in (ALL if is_nightly() else [FEW[number % 2]])
]


@pytest.mark.parametrize(("configuration", "number"), EACH_QUERY)
def test_rows_are_those_of_spark(run_query, expected, configuration, number):
    columns, rows = expected(number)
    found_columns, found, _ = run_query(number, accelerated=True, **configuration)
    assert found_columns == columns
    assert difference(load_query(number, SCALE), columns, rows, found) is None
