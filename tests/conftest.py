"""Options of the whole suite: what the tests run on, which of them run, and in which order."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import Phase, settings

import class_archive
import kept_rows
from file_durations import FileDurations, known_seconds
from grouping import group_of
from grouping import pytest_itemcollected as pytest_itemcollected

SHORT_LIVED = " ".join(
    (
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        # What the small defaults of these hold is soon full, and then collected again and again.
        "-XX:MetaspaceSize=256m",
        "-XX:ReservedCodeCacheSize=240m",
        # Half of the default: interpreting took a fifth of the time.
        "-XX:Tier3InvocationThreshold=100",
        "-XX:Tier3MinInvocationThreshold=50",
        "-XX:Tier3CompileThreshold=1000",
    )
)
"""Options of JVMs whose queries are all new: to optimize their code costs more than it gives."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kernels` for tests of the engine, `--device` and `--answers` for those in Spark."""
    parser.addoption(
        "--kernels",
        choices=("arrow", "cudf"),
        default=os.environ.get("BROADHEAD_TEST_KERNELS", "arrow"),
        help="kernels under test; cudf needs a GPU host",
    )
    parser.addoption(
        "--device",
        choices=("auto", "gpu", "cpu", "process"),
        default=os.environ.get("BROADHEAD_TEST_DEVICE", "cpu"),
        help="spark.broadhead.device in tests that run in Spark; process is a GPU's, on pyarrow",
    )
    parser.addoption(
        "--answers",
        choices=("golden", "spark"),
        default=os.environ.get("BROADHEAD_TEST_ANSWERS", "golden"),
        help="what .sql queries are compared with: tests/golden, or Spark, which proves the former",
    )
    parser.addoption(
        "--nightly",
        action="store_true",
        default=os.environ.get("BROADHEAD_TEST_NIGHTLY") == "1",
        help="run the tests marked as nightly too, and .sql queries in all modes",
    )
    parser.addoption(
        "--keep-rows", action="store_true", help="write the hashes of Spark's rows to tests/golden"
    )
    parser.addoption(
        "--write-durations", action="store_true", help="write tests/durations.json of this run"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Hand the choices to modules that are imported before any fixture runs."""
    os.environ["BROADHEAD_TEST_KERNELS"] = config.getoption("--kernels")
    os.environ["BROADHEAD_TEST_DEVICE"] = config.getoption("--device")
    os.environ["BROADHEAD_TEST_ANSWERS"] = config.getoption("--answers")
    os.environ["BROADHEAD_TEST_KEEP_ROWS"] = "1" if config.getoption("--keep-rows") else "0"
    os.environ["BROADHEAD_TEST_NIGHTLY"] = "1" if config.getoption("--nightly") else "0"
    _configure_hypothesis(config)
    # Spark's scripts give these to every driver that a test starts, however it starts it.
    os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{SHORT_LIVED} {class_archive.options()}")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FileDurations(config), "file-durations")
        if config.getoption("--keep-rows"):
            config.add_cleanup(kept_rows.sort_files)


def _configure_hypothesis(config: pytest.Config) -> None:
    """The same examples every time, unless `--hypothesis-seed` chooses others."""
    settings.register_profile(
        "broadhead",
        derandomize=config.getoption("--hypothesis-seed") is None,
        max_examples=500 if config.getoption("--nightly") else 100,
        # An example may start Spark's first query, and nothing is kept beside the sources.
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        # Not `explain`, which varies the shrunk example some hundred times: each may be a query.
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )
    settings.load_profile("broadhead")


@pytest.fixture(scope="session")
def random_seed(pytestconfig: pytest.Config) -> str:
    """Chooses the values of random tables: `--hypothesis-seed`, which also chooses the examples."""
    return str(pytestconfig.getoption("--hypothesis-seed") or "day")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the night; group the tests, and start the longest groups first."""
    if not config.getoption("--nightly"):
        config.hook.pytest_deselected(items=[item for item in items if _is_nightly(item)])
        items[:] = [item for item in items if not _is_nightly(item)]
    groups: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        item.user_properties.append(("file", _file_of(item)))
        groups[group_of(item)].append(item)
    seconds = _seconds_of(items)
    longest = sorted(groups.values(), key=lambda group: -sum(seconds[item] for item in group))
    items[:] = [item for group in longest for item in group]


def _is_nightly(item: pytest.Item) -> bool:
    return item.get_closest_marker("nightly") is not None


def _seconds_of(items: list[pytest.Item]) -> dict[pytest.Item, float]:
    """What each test may take, by the table of files."""
    known = known_seconds()
    files = {item: dict(item.user_properties)["file"] for item in items}
    tests: defaultdict[str, int] = defaultdict(int)
    for file in files.values():
        tests[file] += 1
    return {item: known.get(file, 1.0) / tests[file] for item, file in files.items()}


def _file_of(item: pytest.Item) -> str:
    """The file whose budget a test counts towards."""
    parameters = getattr(item, "callspec", None)
    run = parameters.params.get("run") if parameters is not None else None
    path = run.file.path if hasattr(run, "file") else item.path
    return path.relative_to(Path(__file__).parents[1]).as_posix()
