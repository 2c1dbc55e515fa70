"""Each query of TPC-H with each of its functions switched off: still plain Spark's rows."""

from __future__ import annotations

import pytest

from broadhead.demo.compare import difference
from broadhead.demo.queries import NUMBERS, load_query
from switched_functions import functions_of
from tpch.conftest import SCALE

BY_DAY = {6}


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(
            number,
            id=f"Q{number}",
            marks=[
                pytest.mark.xdist_group(f"Q{number}"),
                *([] if number in BY_DAY else [pytest.mark.nightly]),
            ],
        )
        for number in NUMBERS
    ],
)
def test_rows_are_those_of_spark(run_query, number):
    columns, rows, _ = run_query(number, accelerated=False)
    _, _, frame = run_query(number, accelerated=True)
    functions = functions_of(frame)
    assert functions
    different = {}
    for function in functions:
        key = f"spark.broadhead.function.{function}.enabled"
        found_columns, found, _ = run_query(number, accelerated=True, **{key: "false"})
        assert found_columns == columns
        if problem := difference(load_query(number, SCALE), columns, rows, found):
            different[function] = problem
    assert not different
