"""What README.md and the quick start tell a newcomer to type, typed; the links of the pages."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from launch.programs import ROOT

DOCS = ROOT / "docs"
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in (
        *sorted(ROOT.glob("*.md")),
        *sorted(DOCS.rglob("*.md")),
        *ROOT.glob("examples/*/*.md"),
    )
]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALLED_BEFORE = ("pip ", "make ")

JOB = """
from pyspark.sql import SparkSession

items = SparkSession.builder.getOrCreate().read.parquet("lineitem.parquet")
items.groupBy("l_returnflag").count().explain()
"""


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(INSTALLED_BEFORE)]


@pytest.fixture
def newcomer(run, jar, tmp_path: Path):
    """Runs commands in a folder with a program and data, `broadhead` and Spark on the PATH."""
    rows = 3000
    table = {
        "l_quantity": pa.array([float(row % 50) for row in range(rows)]),
        "l_extendedprice": pa.array([row / 4 for row in range(rows)]),
        "l_returnflag": pa.array(["ANR"[row % 3] for row in range(rows)]),
    }
    pq.write_table(pa.table(table), tmp_path / "lineitem.parquet")
    (tmp_path / "job.py").write_text(JOB)
    programs = tmp_path / "bin"
    programs.mkdir()
    start = "from broadhead.cli.main import main; main(prog_name='broadhead')"
    (programs / "broadhead").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n')
    (programs / "broadhead").chmod(0o755)
    environment = {
        "PATH": os.pathsep.join(
            [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
        ),
        "PYTHONPATH": str(ROOT / "python"),
        "PYSPARK_PYTHON": sys.executable,
    }
    return lambda *command: run(list(command), **environment)


def test_the_examples(newcomer, tmp_path: Path) -> None:
    """Of the README and of the quick start, in one process: to start Spark takes the time."""
    page = (DOCS / "quick-start.md").read_text(encoding="utf-8")
    (example,), (first,) = blocks("python"), blocks("python", page)
    (tmp_path / "example.py").write_text(example)
    (tmp_path / "first.py").write_text(first)
    run_both = "import runpy; runpy.run_path('example.py'); runpy.run_path('first.py')"
    outcome = newcomer(sys.executable, "-c", run_both)
    assert outcome.status == 0, outcome.stderr
    (of_readme,), (of_quick_start,) = blocks("text"), blocks("text", page)
    assert of_readme.startswith("* Broadhead")
    assert of_readme in outcome.stdout
    assert of_quick_start in outcome.stdout
    assert re.search(r"^BroadheadHashAggregate +Broadhead +100 ", outcome.stdout, re.MULTILINE)


# By day test_commands.py runs a program so.
AT_NIGHT = ("broadhead run job.py",)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=pytest.mark.nightly if command in AT_NIGHT else ())
        for command in commands()
    ],
)
def test_a_command(newcomer, command: str) -> None:
    outcome = newcomer("bash", "-c", command)
    assert outcome.status == 0, outcome.stderr
    if "job.py" in shlex.split(command):
        assert "BroadheadHashAggregate" in outcome.stdout, outcome.stdout


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", path.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (path.parent / target).exists()]
    assert not missing, f"{page} links to {missing}"
