"""Python functions on a GPU: the same rows as Spark's, without copies of columns where it can be.

These tests need a GPU and cuDF: BROADHEAD_TEST_DEVICE=gpu.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import DoubleType, FloatType

import broadhead
from broadhead.profiling import QueryProfile
from local_session import local_session
from sql_sessions import configured

pytestmark = pytest.mark.skipif(
    os.environ.get("BROADHEAD_TEST_DEVICE") != "gpu" or importlib.util.find_spec("cudf") is None,
    reason="needs a GPU and cuDF",
)

ROWS = 2_000_000
GROUPS = 8
LARGE = {"spark.sql.execution.arrow.maxRecordsPerBatch": "500000"}

Build = Callable[[DataFrame], DataFrame]


class Device:
    """Runs queries on a GPU and in Spark, over one table."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session = session
        rng = np.random.default_rng(5)
        numbers = rng.normal(size=ROWS)
        frame = pd.DataFrame(
            {
                "id": np.arange(ROWS),
                "k": np.arange(ROWS) % GROUPS,
                "small": np.arange(ROWS) % 500,
                "x": numbers,
                "y": np.where(rng.random(ROWS) < 0.1, None, rng.normal(size=ROWS)).astype(float),
                "n": rng.integers(-1000, 1000, ROWS),
                "s": np.char.add("Text ", (np.arange(ROWS) % 97).astype(str)),
                "b": rng.random(ROWS) < 0.5,
            }
        )
        folder.mkdir()
        table = pa.Table.from_pandas(frame, preserve_index=False)
        maybe = pa.array(np.arange(ROWS) % 3, mask=np.arange(ROWS) % 11 == 0)
        table = table.append_column("maybe", maybe)
        for part in range(4):
            rows = table.slice(part * ROWS // 4, ROWS // 4)
            pq.write_table(rows, folder / f"{part}.parquet")
        self.table = session.read.parquet(str(folder))

    def same(self, build: Build, *keys: str, **conf: str) -> dict[str, int]:
        """Requires Spark's rows; returns the metrics of the operators with functions."""
        settings = {"spark.broadhead.strict": "true", **conf}
        with configured(self.session, settings):
            # the first run decides where later ones call the functions
            profile = broadhead.profile(build(self.table))
            found = build(self.table).toPandas()
        with configured(self.session, {**settings, "spark.broadhead.enabled": "false"}):
            wanted = build(self.table).toPandas()
        by = list(keys) or list(wanted.columns)[:1]
        found = found.sort_values(by).reset_index(drop=True)
        wanted = wanted.sort_values(by).reset_index(drop=True)
        pd.testing.assert_frame_equal(found, wanted, rtol=1e-9, atol=1e-12)
        return metrics_of(profile)


def metrics_of(profile: QueryProfile) -> dict[str, int]:
    """The metrics of the operators with functions."""
    metrics: dict[str, int] = {}
    for operator in profile.operators:
        assert operator.accelerated or not operator.calls, str(profile)
        for name, value in operator.metrics.items():
            if operator.calls:
                metrics[name] = metrics.get(name, 0) + value
    return metrics


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Device]:
    session = local_session()
    with ExitStack() as stack:
        stack.enter_context(
            configured(
                session,
                {
                    "spark.broadhead.costModel.enabled": "false",
                    "spark.broadhead.device": "gpu",
                    "spark.sql.shuffle.partitions": "2",
                    "spark.broadhead.python.trace": "false",
                },
            )
        )
        yield Device(session, tmp_path_factory.mktemp("device") / "table")


def stays(metrics: dict[str, int]) -> None:
    """The functions ran on the GPU and nothing was copied."""
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics
    assert metrics.get("pythonCopiedBytes", 0) == 0, metrics
    assert metrics.get("functionsOnHost", 0) == 0, metrics


def test_row_by_row(device: Device) -> None:
    @pandas_udf("double")
    def five(x: pd.Series, y: pd.Series) -> pd.Series:
        scaled = np.log1p(x.abs()) * 3 + y.fillna(0.5)
        return scaled.where(scaled > 0.2, 0.0).clip(0, 4)

    stays(device.same(lambda t: t.select("id", five("x", "y").alias("v"))))


def test_nulls_become_nan_and_back(device: Device) -> None:
    @pandas_udf("double")
    def half(y: pd.Series) -> pd.Series:
        return np.sqrt(y) / 2

    stays(device.same(lambda t: t.select("id", half("y").alias("v"), (F.col("y") + 1).alias("w"))))


def test_texts(device: Device) -> None:
    @pandas_udf("string")
    def name(s: pd.Series) -> pd.Series:
        return s.str.replace("Text", "t", regex=False)

    metrics = device.same(lambda t: t.select("id", name("s").alias("v")))
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics


def test_integers_with_nulls_are_called_on_the_cpu(device: Device) -> None:
    @pandas_udf("double")
    def plus(maybe: pd.Series) -> pd.Series:
        return np.sqrt(maybe) + 0.5

    metrics = device.same(lambda t: t.select("id", plus("maybe").alias("v")))
    assert metrics.get("functionsOnHost", 0) > 0, metrics


def test_whole_batches_of_functions_that_see_them(device: Device) -> None:
    @pandas_udf("double")
    def centred(x: pd.Series) -> pd.Series:
        return (x - x.mean()) / x.std()

    metrics = device.same(lambda t: t.select("id", centred("x").alias("v")), **LARGE)
    stays(metrics)
    metrics = device.same(lambda t: t.select("id", centred("x").alias("v")))
    assert metrics.get("pythonDeviceTime", 0) == 0, metrics


def test_iterators(device: Device) -> None:
    @pandas_udf("double")
    def ranks(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in batches:
            yield x.rank() / len(x)

    stays(device.same(lambda t: t.select("id", ranks("x").alias("v")), **LARGE))


def test_two_functions_of_one_operator(device: Device) -> None:
    @pandas_udf("double")
    def one(x: pd.Series) -> pd.Series:
        return np.exp(-x.abs())

    @pandas_udf("long")
    def two(n: pd.Series) -> pd.Series:
        return n * 2

    stays(device.same(lambda t: t.select("id", one("x").alias("a"), two("n").alias("b"))))


def test_three_functions_and_two_aggregations(device: Device) -> None:
    @pandas_udf("double")
    def one(x: pd.Series) -> pd.Series:
        return np.exp(-x.abs())

    @pandas_udf("double")
    def two(v: pd.Series) -> pd.Series:
        return np.log1p(v)

    @pandas_udf("double")
    def three(v: pd.Series) -> pd.Series:
        return np.tanh(v)

    def build(t: DataFrame) -> DataFrame:
        per_small = t.groupBy("k", "small").agg(F.sum(two(one("x"))).alias("v"))
        return per_small.groupBy("k").agg(F.sum(three("v")).alias("v"))

    stays(device.same(build))


def test_maps(device: Device) -> None:
    def mapped(batches: Any) -> Any:
        for rows in batches:
            kept = rows[rows.x > 0]
            yield kept.assign(z=kept.x * kept.n)[["id", "z"]]

    stays(device.same(lambda t: t.mapInPandas(mapped, "id long, z double"), **LARGE))


def test_large_groups(device: Device) -> None:
    def normalized(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[["id", "k"]].assign(z=(rows.x - rows.x.mean()) / rows.x.std())

    def with_key(key: Any, rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"k": [key[0]], "total": [rows.x.sum()], "count": [len(rows)]})

    stays(
        device.same(lambda t: t.groupBy("k").applyInPandas(normalized, "id long, k long, z double"))
    )
    metrics = device.same(
        lambda t: t.groupBy("k").applyInPandas(with_key, "k long, total double, count long")
    )
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics
    assert metrics.get("functionsOnHost", 0) == 0, metrics


def test_groups_with_texts(device: Device) -> None:
    def scores(rows: pd.DataFrame) -> pd.DataFrame:
        # PySpark with pandas 3 fails on texts that a function returns for a group of many batches
        z = (rows.x - rows.x.mean()) / rows.x.std()
        return rows[["id"]].assign(z=z, length=rows.s.str.len() + rows.t.str.len())

    def build(t: DataFrame) -> DataFrame:
        keyed = t.withColumn("t", F.concat(F.lit("key "), F.col("k").cast("string")))
        columns = keyed.select("id", "t", "b", "x", "y", "s")
        groups = columns.groupBy("t")
        return groups.applyInPandas(scores, "id long, z double, length long")

    metrics = device.same(build)
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics
    assert metrics.get("functionsOnHost", 0) == 0, metrics


def test_small_groups_are_called_on_the_cpu(device: Device) -> None:
    def summed(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"small": rows.small.iloc[:1].to_list(), "total": [rows.x.sum()]})

    metrics = device.same(
        lambda t: t.groupBy("small").applyInPandas(summed, "small long, total double")
    )
    assert metrics.get("functionsOnHost", 0) > 0, metrics
    again = device.same(
        lambda t: t.groupBy("small").applyInPandas(summed, "small long, total double")
    )
    assert again.get("pythonDeviceTime", 0) == 0, again


def test_large_cogroups(device: Device) -> None:
    def compared(key: Any, left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        total = left.x.sum() - right.n.mean()
        return pd.DataFrame({"k": [key[0]], "total": [total], "rows": [len(left) + len(right)]})

    def build(t: DataFrame) -> DataFrame:
        left, right = t.where("k < 6"), t.where("k > 1 and n > 0").select("k", "n", "s")
        groups = left.groupBy("k").cogroup(right.groupBy("k"))
        return groups.applyInPandas(compared, "k long, total double, rows long")

    metrics = device.same(build)
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics
    assert metrics.get("functionsOnHost", 0) == 0, metrics


def test_small_cogroups_are_called_on_the_cpu(device: Device) -> None:
    def rows(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"small": [left.small.iloc[0]], "rows": [len(left) + len(right)]})

    def build(t: DataFrame) -> DataFrame:
        groups = t.groupBy("small").cogroup(t.where("b").groupBy("small"))
        return groups.applyInPandas(rows, "small long, rows long")

    assert device.same(build).get("functionsOnHost", 0) > 0


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_models_take_columns_without_a_copy(device: Device, library: str) -> None:
    torch = pytest.importorskip("torch")
    cupy = pytest.importorskip("cupy")

    def load_torch() -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
        weights = torch.tensor([1.0, 2.0], dtype=torch.float64, device="cuda")

        def predict(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            assert left.is_cuda
            return torch.stack([left, right], dim=1) @ weights

        return predict

    def load_cupy() -> Callable[[cupy.ndarray, cupy.ndarray], cupy.ndarray]:
        weights = cupy.array([1.0, 2.0])
        return lambda left, right: cupy.stack([left, right], axis=1) @ weights

    load = load_torch if library == "torch" else load_cupy
    score = predict_batch_udf(load, return_type=DoubleType(), batch_size=4096)
    scored = device.table.select("id", score("x", "n").alias("v"), "x", "n")
    with configured(device.session, {"spark.broadhead.strict": "true"}):
        assert scored.where("abs(v - x - 2 * n) < 1e-9").count() == ROWS
        stays(metrics_of(broadhead.profile(scored)))


def test_models_of_one_column(device: Device) -> None:
    cupy = pytest.importorskip("cupy")

    def load() -> Callable[[cupy.ndarray], cupy.ndarray]:
        return lambda inputs: cupy.tanh(inputs).reshape(-1, 1)

    score = predict_batch_udf(load, return_type=FloatType(), batch_size=100_000)
    found = device.table.where(F.abs(score("x") - F.tanh("x")) < 1e-6)
    assert found.count() == ROWS


def test_models_with_another_number_of_inputs(device: Device) -> None:
    cupy = pytest.importorskip("cupy")

    def load() -> Callable[[cupy.ndarray], cupy.ndarray]:
        return lambda inputs: inputs

    score = predict_batch_udf(load, return_type=DoubleType(), batch_size=1000)
    with pytest.raises(Exception, match="Model expected 1 inputs, but received 2 columns"):
        device.table.select(score("x", "y")).collect()


def test_aggregates(device: Device) -> None:
    @pandas_udf("double")
    def middle(x: pd.Series) -> float:
        return x.median()

    metrics = device.same(lambda t: t.groupBy("k").agg(middle("x").alias("m")))
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics


def test_exceptions_are_those_of_the_function(device: Device) -> None:
    def fails(rows: pd.DataFrame) -> pd.DataFrame:
        raise ValueError(f"{len(rows)} rows are too many")

    with pytest.raises(Exception, match="rows are too many"):
        device.table.groupBy("k").applyInPandas(fails, "k long").collect()


def test_a_function_that_falls_back_is_called_on_the_cpu(device: Device) -> None:
    def slow(batches: Any) -> Any:
        for rows in batches:
            yield pd.DataFrame({"id": rows.id, "v": rows.s.apply(lambda s: len(s) + hash(s) % 2)})

    def build(t: DataFrame) -> DataFrame:
        return t.select("id", "s").mapInPandas(slow, "id long, v long").agg(F.count("v"))

    with configured(device.session, LARGE):
        first = broadhead.profile(build(device.table))
        second = broadhead.profile(build(device.table))
    assert "functionsOnHost" in str([o.metrics for o in first.operators])
    device_time = [o.metrics.get("pythonDeviceTime", 0) for o in second.operators]
    assert sum(device_time) == 0, second


def test_shapes_of_results(device: Device) -> None:
    @pandas_udf("double")
    def array(x: pd.Series) -> pd.Series:
        return pd.Series(np.where(x > 0, x, 0.0))

    @pandas_udf("int")
    def narrowed(n: pd.Series) -> pd.Series:
        return n * 2

    @pandas_udf("boolean")
    def positive(x: pd.Series) -> pd.Series:
        return x > 0

    device.same(lambda t: t.select("id", array("x").alias("v")))
    device.same(lambda t: t.select("id", narrowed("n").alias("v")))
    stays(device.same(lambda t: t.select("id", positive("x").alias("v"))))


def test_without_acceleration(device: Device) -> None:
    @pandas_udf("double")
    def one(x: pd.Series) -> pd.Series:
        return np.exp(-x.abs())

    conf = {"spark.broadhead.python.accelerate": "none"}
    metrics = device.same(lambda t: t.select("id", one("x").alias("a")), **conf)
    assert metrics.get("pythonDeviceTime", 0) == 0, metrics


# numba, which cuDF imports, uses what numpy 2.5 deprecates
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_libraries_take_columns_without_a_copy(device: Device) -> None:
    torch = pytest.importorskip("torch")
    cupy = pytest.importorskip("cupy")
    cuda = pytest.importorskip("numba.cuda")

    def on_torch(batches: Any) -> Any:
        for rows in batches:
            tensor = torch.as_tensor(rows.x, device="cuda")
            assert tensor.data_ptr() == rows.x.__cuda_array_interface__["data"][0]
            scores = cupy.from_dlpack(torch.sigmoid(tensor))
            yield pd.DataFrame({"id": rows.id, "v": pd.Series(scores, index=rows.index)})

    def on_numba(batches: Any) -> Any:
        @cuda.jit
        def kernel(values, out):
            row = cuda.grid(1)
            if row < values.size:
                out[row] = values[row] * 2

        for rows in batches:
            out = cupy.empty(len(rows))
            kernel[len(rows) // 256 + 1, 256](rows.x, out)
            yield pd.DataFrame({"id": rows.id, "v": pd.Series(out, index=rows.index)})

    for function, wanted in ((on_torch, 1 / (1 + F.exp(-F.col("x")))), (on_numba, F.col("x") * 2)):
        with configured(device.session, LARGE):
            found = device.table.select("id", "x").mapInPandas(function, "id long, v double")
            joined = found.join(device.table, "id").where(F.abs(F.col("v") - wanted) < 1e-9)
            assert joined.count() == ROWS


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_functions_that_take_objects_of_cudf_and_cupy(device: Device) -> None:
    cudf = pytest.importorskip("cudf")
    cupy = pytest.importorskip("cupy")

    def kinds(rows: cudf.DataFrame) -> cudf.DataFrame:
        assert isinstance(rows, cudf.DataFrame)
        return cudf.DataFrame({"k": rows.k.head(1), "total": [rows.x.sum()]})

    @pandas_udf("double", functionType=200)
    def scaled(x: cupy.ndarray) -> cupy.ndarray:
        assert isinstance(x, cupy.ndarray)
        return cupy.tanh(x)

    found = device.table.groupBy("k").applyInPandas(kinds, "k long, total double")
    wanted = device.table.groupBy("k").agg(F.sum("x").alias("sum"))
    close = found.join(wanted, "k").where(F.abs(F.col("total") - F.col("sum")) < 1e-6)
    assert close.count() == GROUPS
    same = device.table.where(F.abs(scaled("x") - F.tanh("x")) < 1e-12)
    assert same.count() == ROWS


MODULE = """
import pandas as pd
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import DoubleType


@pandas_udf(DoubleType())
def doubled(x: pd.Series) -> pd.Series:
    return x * 2


def total(rows):
    return pd.DataFrame({"k": rows.k.head(1), "total": [rows.x.sum()]})
"""


def test_modules_that_define_functions_of_pandas(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Annotations of a module that a worker imports are the proxies' types there."""
    (tmp_path / "with_functions.py").write_text(MODULE)
    device.session.sparkContext.addPyFile(str(tmp_path / "with_functions.py"))
    monkeypatch.syspath_prepend(str(tmp_path))
    total = importlib.import_module("with_functions").total
    metrics = device.same(lambda t: t.groupBy("k").applyInPandas(total, "k long, total double"))
    assert metrics.get("pythonDeviceTime", 0) > 0, metrics
