"""The notebook of the quick start, executed as a user does, in a process of its own."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from notebook_runs import execute, parameters_of, shown

EXAMPLE = Path(__file__).parents[2] / "examples" / "quickstart"
SALES = 20_000


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> NotebookNode:
    """The notebook with its outputs: a cell that raises fails the fixture."""
    folder = tmp_path_factory.mktemp("quickstart")
    notebook = nbformat.read(EXAMPLE / "quickstart.ipynb", as_version=4)
    parameters_of(notebook).source = f"FOLDER = {str(folder)!r}\nSALES = {SALES}"
    execute(notebook, folder=EXAMPLE, home=folder)
    return notebook


def texts(notebook: NotebookNode, start: str) -> list[str]:
    """What the cells with this first line show as text."""
    cells = [cell for cell in notebook.cells if cell.source.startswith(start)]
    return [text for output in shown(*cells) if (text := output["text/plain"].strip())]


def test_all_operators_are_explained(executed: NotebookNode) -> None:
    (explained,) = texts(executed, "%broadhead explain")
    *operators, summary = explained.splitlines()
    assert all(line.startswith("* ") for line in operators), explained
    assert operators[-1].endswith("BroadheadFileSourceScan")
    assert summary == f"Broadhead: {len(operators)} of {len(operators)} operators accelerated"


def test_the_cell_shows_its_value_and_then_what_ran(executed: NotebookNode) -> None:
    row, report = texts(executed, "%%broadhead")
    assert row.startswith("Row(name='Shop 0'")
    assert report.startswith("Broadhead: 2 queries, ")
    assert "BroadheadArrowAggregatePython" in report
    assert re.search(r" (\d+) of \1 operators accelerated", report), report


def test_the_profile_has_the_function(executed: NotebookNode) -> None:
    (profile,) = texts(executed, "%broadhead profile")
    assert "In functions (s)" in profile
    assert any(line.endswith(" spread") for line in profile.splitlines())


def test_answers_are_the_same_without_broadhead(executed: NotebookNode) -> None:
    assert texts(executed, "with_broadhead") == ["True"]
