"""Executes notebooks as users do, each in a kernel of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
SPARK = (
    "--master local[2] --driver-memory 1g --conf spark.ui.enabled=false "
    "--conf spark.sql.shuffle.partitions=2 --conf spark.broadhead.device=cpu pyspark-shell"
)


def notebook_of(*cells: str) -> NotebookNode:
    """A notebook with these cells of code."""
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def parameters_of(notebook: NotebookNode) -> NotebookNode:
    """The cell with the parameters of an example."""
    (parameters,) = (c for c in notebook.cells if "parameters" in c.metadata.get("tags", ()))
    return parameters


def execute(notebook: NotebookNode, *, folder: Path, home: Path, **environment: str) -> None:
    """Execute a notebook in a folder; `home` keeps the files of IPython. A cell must not raise."""
    path = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
        patch.setenv("PYSPARK_SUBMIT_ARGS", SPARK)
        patch.setenv("IPYTHONDIR", str(home))
        for name, value in environment.items():
            patch.setenv(name, value)
        place = {"metadata": {"path": str(folder)}}
        # The kernel of that name is this interpreter.
        NotebookClient(notebook, kernel_name="python3", resources=place, timeout=200).execute()


def shown(*cells: NotebookNode) -> list[dict[str, Any]]:
    """What the cells show, by MIME type."""
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return [output["data"] for output in outputs if "data" in output]
