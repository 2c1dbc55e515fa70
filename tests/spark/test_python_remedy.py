"""What is said of a Python whose libraries do not fit."""

from __future__ import annotations

import json

import pytest

from spark.answers import Answers


@pytest.mark.parametrize(
    ("problem", "wanted"),
    [
        ("pyarrow requires NumPy 2.0 or newer, found 1.26.4", "'pyarrow>=23,<26'"),
        ("No module named 'pyarrow'", "'pyarrow>=23'"),
    ],
)
def test_the_pyarrow_that_fits_the_numpy(answers: Answers, problem: str, wanted: str) -> None:
    broadhead = answers.session._jvm.org.apache.spark.sql.broadhead
    report = {
        "executable": "/opt/python", "python": "3.11.7", "problems": {"pyarrow": problem}
    }  # fmt: skip
    node = broadhead.encoding.Json.parse(json.dumps(report))
    fault = broadhead.application.PythonReport.fromProbe("python3", node).fault().get()
    assert f"/opt/python -m pip install {wanted}, or" in fault
