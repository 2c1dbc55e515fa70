"""Functions of frames `k long, x double, n long`, and the schemas of what they should return."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

RESULTS: dict[str, tuple[Callable[..., Any], str]] = {}


def result(schema: str) -> Callable[[Callable[..., Any]], None]:
    """Registers a function of frames `k long, x double, n long` that gives this schema."""

    def add(function: Callable[..., Any]) -> None:
        RESULTS[function.__name__] = (function, schema)

    return add


def by_turns(*made: Callable[[pd.DataFrame], Any]) -> Callable[[pd.DataFrame], Any]:
    """Another function for each group."""
    return lambda frame: made[int(frame.k.iloc[0]) % len(made)](frame)


@result("k long, x double")
def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"k": [int(frame.k.iloc[0])], "x": [frame.x.max()]})


@result("k long, x double, n long")
def unchanged(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


@result("k long, x double, n long")
def changed_in_place(frame: pd.DataFrame) -> pd.DataFrame:
    frame["x"] *= 2
    frame.loc[0, "n"] = -1
    frame.iloc[-1, 0] = -2
    frame.columns.name = "changed"
    frame.attrs["changed"] = True
    frame.index.name = "changed"
    return frame


@result("k long, x double, n long, t string")
def columns_added(frame: pd.DataFrame) -> pd.DataFrame:
    frame["t"] = "added"
    return frame


@result("k long, x double, n long")
def rows_dropped_in_place(frame: pd.DataFrame) -> pd.DataFrame:
    frame.drop(index=0, inplace=True)
    frame.sort_values("x", ascending=False, inplace=True)
    return frame


KEPT: list[pd.DataFrame] = []


@result("k long, x double, n long")
def earlier_frames(frame: pd.DataFrame) -> pd.DataFrame:
    """Changes the frames of the groups before, and gives all of them."""
    if frame.k.iloc[0] == 0:
        KEPT.clear()
    for earlier in KEPT:
        earlier["x"] += 100
    KEPT.append(frame)
    frame.loc[0, "x"] = 7
    return pd.concat(KEPT)


SAME = pd.DataFrame({"k": [1], "x": [0.5]})


@result("k long, x double")
def one_frame_again_and_again(frame: pd.DataFrame) -> pd.DataFrame:
    SAME.loc[0, "k"] = frame.k.iloc[0]
    SAME.loc[0, "x"] = frame.x.iloc[0]
    return SAME


MEMORY = np.empty(10)


@result("x double")
def memory_again_and_again(frame: pd.DataFrame) -> pd.DataFrame:
    MEMORY[: len(frame)] = frame.x
    return pd.DataFrame({"x": MEMORY[: len(frame)]}, copy=False)


MOMENTS = np.empty(10, "datetime64[ns]")


@result("t timestamp_ntz")
def moments_again_and_again(frame: pd.DataFrame) -> pd.DataFrame:
    MOMENTS[: len(frame)] = pd.Timestamp("2020-01-01") + pd.to_timedelta(frame.n, "D")
    return pd.DataFrame({"t": MOMENTS[: len(frame)]}, copy=False)


@result("k long, x double")
def columns_in_other_orders(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k", "x"]], lambda f: f[["x", "k"]])(frame)


@result("k long, x double")
def other_dtypes(frame: pd.DataFrame) -> pd.DataFrame:
    found = frame[["k", "x"]]
    return by_turns(
        lambda _: found,
        lambda _: found.astype({"k": "int32", "x": "float32"}),
        lambda _: found.astype({"k": "Int64", "x": object}),
        lambda _: found.astype({"k": "float64", "x": "int64"}),
    )(frame)


@result("k long, x double")
def numbers_that_pandas_has_in_one_block(frame: pd.DataFrame) -> pd.DataFrame:
    found = pd.DataFrame(np.arange(6.0).reshape(3, 2), columns=["k", "x"])
    return by_turns(lambda _: found, lambda _: found.astype("int64"), lambda _: found[::-1])(frame)


@result("k long, x double")
def no_rows(frame: pd.DataFrame) -> pd.DataFrame:
    found = frame[["k", "x"]]
    return by_turns(
        lambda _: found[:0],
        lambda _: pd.DataFrame(),
        lambda _: found,
        lambda _: pd.DataFrame({"k": [], "x": []}),
    )(frame)


@result("k long, x double")
def no_rows_at_all(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["k", "x"]][:0]


@result("k long")
def no_columns(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k"]], lambda f: pd.DataFrame(index=f.index))(frame)


@result("k long, x double")
def names_that_are_not_declared(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k", "x"]], lambda f: f.rename(columns={"x": "y"}))(frame)


@result("k long, x double")
def names_that_are_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    found = frame[["k", "x"]]
    return by_turns(lambda _: found, lambda _: found.set_axis([0, 1], axis=1))(frame)


@result("k long, x double")
def names_of_objects(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["k", "x"]].set_axis(pd.Index(["k", "x"], dtype=object), axis=1)


@result("k long, x double")
def too_many_columns(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k", "x"]], lambda f: f)(frame)


@result("k long, x double")
def names_twice(frame: pd.DataFrame) -> pd.DataFrame:
    found = frame[["k", "x"]]
    return by_turns(lambda _: found, lambda _: found.set_axis(["k", "k"], axis=1))(frame)


@result("k long, k double")
def declared_twice(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["k", "x"]].set_axis(["k", "k"], axis=1)


@result("k long")
def no_frame(frame: pd.DataFrame) -> Any:
    return by_turns(lambda f: f[["k"]], lambda f: f.k)(frame)


class OwnFrame(pd.DataFrame):
    """A frame of the user's."""


@result("k long, x double")
def frames_of_a_subclass(frame: pd.DataFrame) -> pd.DataFrame:
    return OwnFrame(frame[["k", "x"]])


@result("k long, x double")
def an_error_in_the_middle(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k", "x"]], lambda f: f[["k", "x"]], lambda f: f["missing"])(frame)


@result("k long, x double")
def an_iteration_that_stops(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k", "x"]], lambda _: next(iter(())))(frame)


@result("k int")
def numbers_that_are_too_large(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda f: f[["k"]], lambda f: f[["k"]] + 2**40)(frame)


@result("k long, x double")
def nulls_and_nan(frame: pd.DataFrame) -> pd.DataFrame:
    k = [None, 1] if frame.k.iloc[0] % 2 else [0, 1]
    return pd.DataFrame({"k": pd.Series(k, dtype=object), "x": [float("nan"), 1.0]})


@result("t string, u string")
def texts(frame: pd.DataFrame) -> pd.DataFrame:
    found = pd.DataFrame({"t": ["a", None], "u": ["", "\U0001f600"]})
    return by_turns(
        lambda _: found,
        lambda _: found.astype(object),
        lambda _: found.astype("string"),
        lambda _: found[1:],
    )(frame)


@result("t string")
def texts_in_chunks(frame: pd.DataFrame) -> pd.DataFrame:
    found = pd.DataFrame({"t": ["a", None]})
    return by_turns(lambda _: found, lambda _: pd.concat([found, found]))(frame)


@result("t string")
def objects(frame: pd.DataFrame) -> pd.DataFrame:
    values = [["a", None], [float("nan"), "b"], [None, None], ["c", pd.NA]]
    return pd.DataFrame({"t": pd.Series(values[int(frame.k.iloc[0])], dtype=object)})


@result("t string")
def numbers_for_texts(frame: pd.DataFrame) -> pd.DataFrame:
    return by_turns(lambda _: pd.DataFrame({"t": ["a"]}), lambda _: pd.DataFrame({"t": [1]}))(frame)


@result("t string, k long, b boolean")
def categories(frame: pd.DataFrame) -> pd.DataFrame:
    found = pd.DataFrame({"t": ["a", None], "k": [1, 2], "b": [True, False]})
    return by_turns(lambda _: found, lambda _: found.astype("category"))(frame)


@result("a timestamp, b timestamp_ntz, c timestamp")
def times(frame: pd.DataFrame) -> pd.DataFrame:
    local = pd.Series(pd.to_datetime(["2020-03-29 01:30", "2020-10-25 03:30", None]))
    zoned = local.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    found = pd.DataFrame({"a": local, "b": local, "c": zoned})
    return by_turns(lambda _: found, lambda _: found[2:], lambda _: found[:1])(frame)


@result("t timestamp")
def times_that_do_not_exist(frame: pd.DataFrame) -> pd.DataFrame:
    texts = ["2020-03-29 01:30", "2020-03-29 02:30"]
    return pd.DataFrame({"t": pd.to_datetime([texts[int(frame.k.iloc[0]) % 2]])})


@result("d date, m decimal, y binary, i interval")
def other_types(frame: pd.DataFrame) -> pd.DataFrame:
    day = datetime.date(2020, 1, 1)
    interval = datetime.timedelta(seconds=5)
    found = pd.DataFrame({"d": [day], "m": [decimal.Decimal("1.5")], "y": [b"x"], "i": [interval]})
    return by_turns(lambda _: found, lambda _: found.assign(d=None), lambda _: found[:0])(frame)


@result("a longs, s pair, m map, k long")
def nested(frame: pd.DataFrame) -> pd.DataFrame:
    k = int(frame.k.iloc[0])
    found = {"a": [[k, None], None], "s": [{"x": k, "y": None}, None], "m": [{"a": k}, None]}
    return pd.DataFrame({**found, "k": [k, k]})


@result("k long, x double, n long, t string")
def large_results(frame: pd.DataFrame) -> pd.DataFrame:
    found = pd.concat([frame] * 3000, ignore_index=True)
    return found.assign(t=[f"t{n}" for n in found.index])
