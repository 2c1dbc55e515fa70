"""The notebook of the taxi example, executed as a user does, in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLE = Path(__file__).parents[2] / "examples" / "taxi"
TRIPS = 4000
PLOTS = 3
SPARK = (
    "--master local[2] --driver-memory 1g --conf spark.ui.enabled=false "
    "--conf spark.sql.shuffle.partitions=2 --conf spark.broadhead.device=cpu pyspark-shell"
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the cells show, by MIME type: a cell that raises fails the fixture."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(EXAMPLE / "taxi.ipynb", as_version=4)
    (parameters,) = (c for c in notebook.cells if "parameters" in c.metadata.get("tags", ()))
    parameters.source = f"DATA = {str(folder / 'data')!r}\nTRIPS = {TRIPS}"
    path = [str(EXAMPLE.parents[1] / "python"), os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
        patch.setenv("PYSPARK_SUBMIT_ARGS", SPARK)
        patch.setenv("IPYTHONDIR", str(folder))
        place = {"metadata": {"path": str(EXAMPLE)}}
        # The kernel of that name is this interpreter.
        NotebookClient(notebook, kernel_name="python3", resources=place, timeout=200).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output["data"] for output in shown if "data" in output]


def test_each_analysis_shows_a_plot(outputs: list[dict[str, Any]]) -> None:
    assert sum("image/png" in output for output in outputs) == PLOTS


@pytest.mark.parametrize("name", ["ArrowEvalPython", "FlatMapGroupsInPandas"])
def test_the_functions_run_in_fragments(outputs: list[dict[str, Any]], name: str) -> None:
    explained = "\n".join(output.get("text/plain", "") for output in outputs)
    assert f"Broadhead{name}" in explained
