"""The notebook of the taxi example, executed as a user does, in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from notebook_runs import execute, parameters_of, shown

# By day test_taxi.py runs the same functions, and test_quickstart_notebook.py a notebook.
pytestmark = pytest.mark.nightly

EXAMPLE = Path(__file__).parents[2] / "examples" / "taxi"
TRIPS = 4000
PLOTS = 3


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the cells show, by MIME type: a cell that raises fails the fixture."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(EXAMPLE / "taxi.ipynb", as_version=4)
    parameters_of(notebook).source = f"DATA = {str(folder / 'data')!r}\nTRIPS = {TRIPS}"
    execute(notebook, folder=EXAMPLE, home=folder)
    return shown(*notebook.cells)


def test_each_analysis_shows_a_plot(outputs: list[dict[str, Any]]) -> None:
    assert sum("image/png" in output for output in outputs) == PLOTS


@pytest.mark.parametrize("name", ["ArrowEvalPython", "FlatMapGroupsInPandas"])
def test_the_functions_run_in_fragments(outputs: list[dict[str, Any]], name: str) -> None:
    explained = "\n".join(output.get("text/plain", "") for output in outputs)
    assert f"Broadhead{name}" in explained
