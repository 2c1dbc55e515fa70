"""Tables of cases, each a frame with one text column, several of which run in one query."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from python_functions.shown import shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Make = Callable[["SparkSession"], "DataFrame"]


class CaseTable:
    """Cases by name: functions that make a frame whose only column, a text, shows the result."""

    def __init__(self, at_once: int = 8) -> None:
        self._at_once = at_once
        self._cases: dict[str, Make] = {}

    def __call__(self, make: Make) -> Make:
        """Adds a case, as a decorator."""
        self.add(make.__name__, make)
        return make

    def add(self, name: str, make: Make) -> None:
        """Adds a case under a name of its own."""
        assert name not in self._cases, name
        self._cases[name] = make

    def __len__(self) -> int:
        return len(self._cases)

    def queries(self) -> dict[str, Make]:
        """The queries that run all cases; their names are those of their first and last case."""
        names = list(self._cases)
        bunches = [names[i : i + self._at_once] for i in range(0, len(names), self._at_once)]
        return {
            f"{bunch[0]}-{bunch[-1]}": lambda spark, bunch=bunch: self._union(spark, bunch)
            for bunch in bunches
        }

    def by_turns(self) -> list[object]:
        """Names of the queries as parameters of a test, every other one for the night."""
        return [
            pytest.param(name, marks=pytest.mark.nightly if number % 2 else ())
            for number, name in enumerate(self.queries())
        ]

    def _union(self, spark: SparkSession, names: list[str]) -> DataFrame:
        from pyspark.sql import functions as f

        frames = [
            self._cases[name](spark).toDF("seen").select(f.lit(name).alias("case"), "seen")
            for name in names
        ]
        return reduce(lambda left, right: left.union(right), frames)


def as_text(frame: DataFrame) -> DataFrame:
    """The rows as a Python function writes them: the engine has no texts of doubles."""
    from pyspark.sql import functions as f

    @f.pandas_udf("string")
    def text(rows: pd.DataFrame) -> pd.Series:
        return shown(rows)

    return frame.select(text(f.struct(*frame.columns)))
