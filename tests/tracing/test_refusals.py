"""Functions that are not traced: each has its reason, and nothing of them has run."""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest

from broadhead.tracing.signature import FunctionKind
from broadhead.tracing.trace import Refused, trace
from broadhead.types import DOUBLE, LONG, STRING, TIMESTAMP, DataType, decimal
from tracing.comparison import reason, signature

PLAIN, PANDAS, ARROW = FunctionKind.PLAIN, FunctionKind.SCALAR_PANDAS, FunctionKind.SCALAR_ARROW
effects: list[Any] = []
counter = 0


class Model:
    factor = 2

    def __call__(self, value: Any) -> Any:
        effects.append(value)
        return value


model = Model()


def prints(x: Any) -> Any:
    print(x)
    return x


def counts(x: Any) -> Any:
    global counter
    counter = counter + 1
    return x


def appends(x: Any) -> Any:
    effects.append(x)
    return x


def assigns_an_attribute(x: Any) -> Any:
    model.factor = 3
    return x


def assigns_an_item(x: Any) -> Any:
    x[x > 1] = 1
    return x


def catches(x: Any) -> Any:
    try:
        return 1 / x
    except ZeroDivisionError:
        return None


def imports(x: Any) -> Any:
    import antigravity

    return antigravity.value(x)


def generates(x: Any) -> Iterator[Any]:
    yield x


def loops(x: Any) -> Any:
    while True:
        x = x + 1


def has_a_mutable_default(x: Any, seen: Any = effects) -> Any:
    return x


def sums(x: Any) -> Any:
    total = 0
    for value in x:
        total += value
    return total


def closure() -> Callable[..., Any]:
    log: list[Any] = []

    def inner(x: Any) -> Any:
        log.append(x)
        return x

    return inner


CASES: list[tuple[FunctionKind, Any, str]] = [
    (PLAIN, prints, "it calls print"),
    (PLAIN, counts, "it assigns to the global counter"),
    (PLAIN, appends, "it uses .append of list"),
    (PLAIN, closure(), "it uses .append of list"),
    (PLAIN, assigns_an_attribute, "it assigns to the attribute factor"),
    (PLAIN, catches, "it handles exceptions, or uses with or a comprehension"),
    (PLAIN, imports, "it imports antigravity"),
    (PLAIN, generates, "it is a generator or a coroutine"),
    (PLAIN, loops, "it runs more than 5000 instructions"),
    (PLAIN, has_a_mutable_default, "it has a default argument that is not a constant"),
    (PLAIN, lambda x: random.random() * x, "it uses the module random"),
    (PLAIN, lambda x: os.environ["HOME"], "it uses the module os"),
    (PLAIN, lambda x: input("x"), "it calls input"),
    (PLAIN, lambda x: eval("x"), "it calls eval"),
    (PLAIN, lambda x: model(x), "it uses the global model"),
    (PLAIN, lambda x: model.factor * x, "it uses the global model"),
    (PLAIN, lambda x: sorted([2, 1], key=appends)[0], "it passes a function to sorted"),
    (PLAIN, lambda x: x**0.5, "it uses ** on a float"),
    (PLAIN, lambda x: round(x, 2), "it rounds to digits"),
    (PLAIN, lambda x: str(x / 2), "it formats a float"),
    (PLAIN, lambda x: f"{x:.2f}", "it uses a format in an f-string"),
    (PLAIN, lambda x: np.log(x), "it calls numpy.log"),
    (PLAIN, model, "it is a Model and no Python function"),
    (PLAIN, functools.partial(prints, 1), "it is a partial function"),
    (PLAIN, abs, "it is a builtin_function_or_method and no Python function"),
    (PANDAS, prints, "it calls print"),
    (PANDAS, sums, "it iterates over a value"),
    (PANDAS, assigns_an_item, "it assigns to an item"),
    (PANDAS, lambda s: s - s.mean(), "it uses .mean of a Series of floats"),
    (PANDAS, lambda s: s.cumsum(), "it uses .cumsum of a Series of floats"),
    (PANDAS, lambda s: s.shift(1), "it uses .shift of a Series of floats"),
    (PANDAS, lambda s: s.rank(), "it uses .rank of a Series of floats"),
    (PANDAS, lambda s: s.sort_values(), "it uses .sort_values of a Series of floats"),
    (PANDAS, lambda s: s / len(s), "it calls len"),
    (PANDAS, lambda s: s.iloc[0] + s, "it uses .iloc of a Series of floats"),
    (PANDAS, lambda s: s[s > 0], "it selects rows"),
    (PANDAS, lambda s: np.log(s), "it calls numpy.log"),
    (PANDAS, lambda s: np.mean(s) + s, "it calls numpy.mean"),
    (PANDAS, lambda s: s + np.random.rand(len(s)), "it uses numpy.random"),
    (PANDAS, lambda s: s if s.all() else -s, "it uses .all of a Series of floats"),
    (PANDAS, lambda s: s if s > 0 else -s, "it branches on a Series of booleans"),
    (PANDAS, lambda s: s.apply(appends), "it uses .apply of a Series of floats"),
    (PANDAS, lambda s: 5, "it returns a int and no Series"),
    (PANDAS, lambda s: np.where(s > 0, 1.0, 0.0), "it returns an array of floats and no Series"),
    (PANDAS, lambda s: pd.Series([1, 2]), "it calls pandas.Series"),
    (ARROW, lambda s: pc.sum(s), "it calls pyarrow.compute.sum"),
    (ARROW, lambda s: pc.cumulative_sum(s), "it calls pyarrow.compute.cumulative_sum"),
    (ARROW, lambda s: s.to_pandas(), "it uses .to_pandas of an array of type double"),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_function_is_refused_for_a_reason(case: int, capsys: pytest.CaptureFixture[str]) -> None:
    kind, function, expected = CASES[case]
    before = list(effects), counter, model.factor
    assert reason(function, signature(kind, DOUBLE, DOUBLE)) == expected
    assert (list(effects), counter, model.factor) == before, "code of the function has run"
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("argument", "shown"), [(decimal(10, 2), "decimal(10,2)"), (TIMESTAMP, "timestamp")]
)
def test_types_that_are_not_traced(argument: DataType, shown: str) -> None:
    for kind in set(FunctionKind) - ({PANDAS} if argument == TIMESTAMP else set()):
        form = signature(kind, argument, LONG, argument)
        assert reason(lambda a, b: b, form) == f"argument 2 of type {shown} is not traced"


def test_integers_that_may_be_null_as_text() -> None:
    """'1' or '1.0', which depends on the other rows of the batch."""
    form = signature(PANDAS, STRING, LONG)
    assert "that may be missing" in reason(lambda s: s.astype(str), form)


def test_an_expression_that_would_be_huge() -> None:
    def doubled(x: Any) -> Any:
        for _ in range(30):
            x = x + x
        return x

    assert reason(doubled, signature(PLAIN, LONG, LONG)) == "its expression is too large"


def test_a_legacy_conversion_through_pandas() -> None:
    form = signature(FunctionKind.PLAIN_ARROW, LONG, LONG)
    settings = type(form.settings)(legacy_pandas=True)
    form = type(form)(form.kind, form.arguments, form.returns, settings)
    assert isinstance(trace(lambda x: x, form), Refused)
