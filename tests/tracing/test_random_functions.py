"""Random functions made of what is traced: their expressions mean what the functions give."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broadhead.tracing.signature import (
    Argument,
    ConversionSettings,
    FunctionKind,
    FunctionSignature,
)
from broadhead.tracing.trace import Refused, Traced, trace
from broadhead.types import BOOLEAN, BYTE, DOUBLE, FLOAT, INTEGER, LONG, SHORT
from tracing.comparison import compared
from tracing.random_functions import PandasWriter, PythonWriter

GLOBALS = {"np": np, "pd": pd, "math": math}
KINDS = (FunctionKind.SCALAR_PANDAS, FunctionKind.PLAIN, FunctionKind.PLAIN_ARROW)
FEW_RESULTS = "most of its results only Python itself knows"


@pytest.mark.parametrize("kind", KINDS)
def test_random_functions(kind: FunctionKind) -> None:
    @settings(max_examples=60, deadline=None, database=None)
    @given(st.integers(0, 2**32))
    def agrees(seed: int) -> None:
        source, form = written(seed, kind)
        function = eval(f"lambda a, b: {source}", GLOBALS)
        traced = trace(function, form)
        if isinstance(traced, Traced):
            result = compared(function, form, traced)
            if isinstance(result, Refused):
                assert result.reason == FEW_RESULTS, f"{source} {form}: {result.reason}"

    agrees()


def written(seed: int, kind: FunctionKind) -> tuple[str, FunctionSignature]:
    """A function's source, and how Spark calls it."""
    chosen = random.Random(seed)
    depth = chosen.choice([1, 2, 2, 3])
    is_condition = chosen.random() < 0.2
    pandas = kind is FunctionKind.SCALAR_PANDAS
    writer = PandasWriter(seed, "a", "b") if pandas else PythonWriter(seed, "a", "b")
    source = writer.condition(depth) if is_condition else writer.number(depth)
    arguments = tuple(
        Argument(chosen.choice([LONG, INTEGER, DOUBLE, FLOAT, SHORT, BYTE]), chosen.random() < 0.7)
        for _ in "ab"
    )
    returns = BOOLEAN if is_condition else chosen.choice([DOUBLE, DOUBLE, LONG, INTEGER, FLOAT])
    conversion = ConversionSettings(safe=chosen.random() < 0.3)
    return source, FunctionSignature(kind, arguments, returns, conversion)
