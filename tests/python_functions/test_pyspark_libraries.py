"""Parts of PySpark that call functions inside: pandas API on Spark, and inference with a model."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from broadhead.explanation import explain
from python_functions.comparison import Comparison
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.xdist_group("python functions"),
    # What PySpark's pandas API says of itself.
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning"),
]


ON_SPARK: dict[str, Callable[[Any], Any]] = {
    "apply": lambda frame: frame["n"].apply(lambda value: float(value) + 0.5),
    "transform": lambda frame: frame[["n", "k"]].transform(lambda values: values * 2),
    "apply_rows": lambda frame: frame[["n", "k"]].apply(lambda row: row["n"] - row["k"], axis=1),
    "apply_batch": lambda frame: frame[["n", "k"]].pandas_on_spark.apply_batch(
        lambda rows: rows * 3
    ),
    "transform_batch": lambda frame: frame["n"].pandas_on_spark.transform_batch(
        lambda values: values * 2
    ),
    "group_apply": lambda frame: frame[["n", "k"]].groupby("k").apply(lambda rows: rows.cumsum()),
    "group_transform": lambda frame: (
        frame[["n", "k"]].groupby("k").transform(lambda values: values * 2)
    ),
}


@pytest.mark.parametrize("name", ON_SPARK)
def test_pandas_on_spark(comparison: Comparison, name: str) -> None:
    # Not every PySpark has one for the pandas of its environment.
    ps = pytest.importorskip("pyspark.pandas", exc_type=ImportError)
    spark = comparison.session
    answers = []
    for enabled in ("false", "true"):
        with (
            configured(spark, {"spark.broadhead.enabled": enabled}),
            # It would compute so few rows in the driver.
            ps.option_context("compute.shortcut_limit", 2),
        ):
            rows = spark.table("filled").selectExpr("id", "id * 3 AS n", "k")
            found = ON_SPARK[name](rows.pandas_api(index_col="id"))
            answers.append(found.to_pandas())
            if enabled == "true":
                frame = found.to_frame() if hasattr(found, "to_frame") else found
                explanation = explain(frame.to_spark())
    called = [node for node in explanation.nodes if re.search("Python|InPandas", node.name)]
    assert called, explanation
    assert all(node.accelerated for node in called), explanation
    expected, actual = (answer.sort_index() for answer in answers)
    assert expected.equals(actual), (expected, actual)


def test_predict_batch(comparison: Comparison) -> None:
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.types import ArrayType, DoubleType

    def make_predict() -> Callable[[np.ndarray], np.ndarray]:
        weights = np.array([[1.0], [2.0]])

        def predict(inputs: np.ndarray) -> np.ndarray:
            return inputs @ weights

        return predict

    def make_sum() -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        def predict(left: np.ndarray, right: np.ndarray) -> np.ndarray:
            return left + right + len(left)

        return predict

    def make(spark: SparkSession) -> DataFrame:
        frame = spark.table("filled")
        tensor = predict_batch_udf(
            make_predict,
            return_type=ArrayType(DoubleType()),
            batch_size=5,
            input_tensor_shapes=[[2]],
        )
        pair = predict_batch_udf(make_sum, return_type=DoubleType(), batch_size=4)
        pairs = frame.selectExpr("id", "k", "named_struct('a', id * 1.0D, 'b', k * 1.0D) AS s")
        return pairs.select("id", pair("id", "k").alias("p"), tensor("s").alias("t"))

    comparison.same(make)
