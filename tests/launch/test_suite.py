"""What the suite keeps and measures of itself: answers, runs by day and night, times of files."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

import pyarrow as pa
import pytest

import sql_sessions
from file_durations import BUDGET, SLOWEST_MACHINE, FileDurations
from golden_answers import Answer, GoldenFile
from kept_rows import Place
from leeway import Leeway
from sql_answers import Mismatch, Rows, compare_rows
from sql_files import Query
from sql_runs import ANSI, FILES, LEGACY, TESTS, runs

INSTANT = datetime(2024, 11, 3, 1, 30, tzinfo=UTC)
COLUMNS = {
    "null": pa.array([None, None], pa.null()),
    "long": pa.array([2**63 - 1, -(2**63)]),
    "double": pa.array([-0.0, 0.1 + 0.2]),
    "extreme": pa.array([float("-inf"), 5e-324]),
    "decimal": pa.array([Decimal("1.10"), None], pa.decimal128(38, 2)),
    "text": pa.array(['ü"\n', ""]),
    "bytes": pa.array([b"\0\xff", None]),
    "boolean": pa.array([True, False]),
    "date": pa.array([-719162, 2**31 - 1], pa.int32()).cast(pa.date32()),
    "instant": pa.array([-(2**63), 2**63 - 1], pa.timestamp("us", "UTC")),
    "duration": pa.array([timedelta(microseconds=-1), None]),
    "list": pa.array([[1.0, None], []]),
    "struct": pa.array([{"a": Decimal("0.5"), "b": [INSTANT]}, None]),
    "map": pa.array([[("k", date(1, 1, 1))], None], pa.map_(pa.string(), pa.date32())),
}


def read_back(tmp_path, answer: Answer) -> Answer:
    GoldenFile("4.1", "origin", {("SELECT 1", "ansi"): answer}).write(tmp_path / "kept.jsonl")
    return GoldenFile.read(tmp_path / "kept.jsonl").answers["SELECT 1", "ansi"]


@pytest.mark.parametrize("name", COLUMNS)
def test_values_of_every_type_are_kept(tmp_path, name: str) -> None:
    found = Rows.of(pa.table({name: COLUMNS[name]}))
    kept = read_back(tmp_path, Answer.of(found, 0.0))
    assert kept.rows is not None
    assert sorted(map(repr, kept.rows)) == sorted(map(repr, found.rows))
    assert kept.is_same(found)
    other = Rows.of(pa.table({name: COLUMNS[name].take(pa.array([0, 0]))}))
    assert kept.is_same(other) == (name == "null")


def test_bits_of_a_nan_are_kept(tmp_path) -> None:
    bits = pa.array([0x7FF8000000000000, 0x7FF8000000000001, -(2**51)], pa.int64())
    found = Rows.of(pa.table({"d": bits.view(pa.float64())}))
    kept = read_back(tmp_path, Answer.of(found, 0.0))
    rows = pa.array([row[0] for row in kept.rows or []], pa.float64())
    assert sorted(rows.view(pa.int64()).to_pylist()) == sorted(bits.to_pylist())


def test_types_and_the_sign_of_zero_count(tmp_path) -> None:
    kept = read_back(tmp_path, Answer.of(Rows.of(pa.table({"d": [0.0]})), 0.0))
    assert not kept.is_same(Rows.of(pa.table({"d": [-0.0]})))
    assert not kept.is_same(Rows.of(pa.table({"d": pa.array([0.0], pa.float32())})))
    assert not kept.is_same("an error")


def test_instants_of_a_repeated_hour_differ() -> None:
    zone = pa.timestamp("us", "America/New_York")
    first, second = (INSTANT + timedelta(hours=hours) for hours in (4, 5))
    left, right = (
        Rows.of(pa.table({"l": pa.array([[at]], pa.list_(zone))})) for at in (first, second)
    )
    with pytest.raises(Mismatch):
        compare_rows(left, right)


def test_many_rows_are_kept_as_a_hash(tmp_path) -> None:
    numbers = list(range(1000))
    kept = read_back(tmp_path, Answer.of(Rows.of(pa.table({"n": numbers})), 0.0))
    assert kept.rows is None
    assert kept.is_same(Rows.of(pa.table({"n": numbers[::-1]})))
    assert not kept.is_same(Rows.of(pa.table({"n": [*numbers[1:], 1]})))
    assert not kept.is_same(Rows.of(pa.table({"n": numbers[1:]})))


def test_floats_that_may_differ_are_kept_as_they_are(tmp_path) -> None:
    found = Rows.of(pa.table({"d": [n / 7 for n in range(1000)]}))
    kept = read_back(tmp_path, Answer.of(found, 1e-12))
    assert kept.is_same(
        Rows.of(pa.table({"d": [n / 7 * (1 + 1e-14) for n in range(1000)]})), Leeway(1e-12)
    )


def test_errors_are_kept(tmp_path) -> None:
    kept = read_back(tmp_path, Answer.of("Error DIVIDE_BY_ZERO: of\nzero", 0.0))
    assert kept.is_same("Error DIVIDE_BY_ZERO: of\nzero")
    assert not kept.is_same("Error DIVIDE_BY_ZERO: of zero")
    assert not kept.is_same(Rows.of(pa.table({"d": [1]})))


def test_errors_of_comparisons_are_kept_beside_rows(tmp_path) -> None:
    error = ["ArithmeticException DIVIDE_BY_ZERO 22012", "its cause"]
    failing, giving = (Place(tmp_path / "kept.jsonl", "test_x", n, "4.1") for n in (0, 1))
    failing.keep(error)
    giving.keep(Rows.of(pa.table({"n": [1]})))
    assert failing.holds(error)
    assert not failing.holds(error[:1])
    assert not failing.holds(Rows.of(pa.table({"n": pa.array([], pa.int64())})))
    assert giving.holds(Rows.of(pa.table({"n": [1]})))
    assert not giving.holds(error)
    assert (failing.has_rows(), giving.has_rows()) == (False, True)


RIGHT, WRONG = (Rows.of(pa.table({"n": [n]})) for n in (1, 2))
KEPT, OLD = (Answer.of(rows, 0.0) for rows in (RIGHT, WRONG))


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch):
    """Checks a query for which Spark has the right rows; says whether Spark was asked."""

    def check(kept: Answer | None, broadhead: Rows, answers: str = "golden") -> bool:
        asked = []

        def ask(_session, _query, _mode, *, enabled: bool) -> tuple[Rows, None]:
            asked.append(enabled)
            return (broadhead if enabled else RIGHT), None

        monkeypatch.setattr(sql_sessions, "_ask", ask)
        monkeypatch.setenv("BROADHEAD_TEST_ANSWERS", answers)
        sql_sessions.check_query(None, Query("SELECT 1", 1), ANSI, kept)
        return False in asked

    return check


def test_spark_is_asked_for_what_is_not_kept(checked) -> None:
    assert not checked(KEPT, RIGHT)
    assert checked(None, RIGHT)
    assert checked(KEPT, RIGHT, answers="spark")


@pytest.mark.parametrize("kept", [KEPT, OLD, None], ids=["kept", "old", "nothing"])
def test_spark_has_the_last_word(checked, kept: Answer | None) -> None:
    if kept is OLD:
        # What is kept is wrong as Broadhead is: only a night finds both.
        assert not checked(kept, WRONG)
    with pytest.raises(Mismatch, match="column n: 1 from Spark, 2 from Broadhead"):
        checked(kept, WRONG, answers="spark" if kept is OLD else "golden")


def test_an_answer_that_is_not_sparks_is_named(checked) -> None:
    for answers in ("golden", "spark"):
        with pytest.raises(Mismatch, match="run `make golden`"):
            checked(OLD, RIGHT, answers=answers)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_query_runs_by_day_and_in_all_modes_at_night(path) -> None:
    by_day, at_night = (runs(path, nightly=nightly) for nightly in (False, True))
    file = by_day[0].file
    for query in file.queries:
        found = [(run, own) for run in by_day for own in run.queries if same_text(own, query)]
        modes = {run.mode.name for run, _ in found}
        if query.nightly:
            assert not found, query.sql
            continue
        assert found, query.sql
        assert query.ansi_error is None or {ANSI.name, LEGACY.name} == modes
        assert query.variants == 1 or len({own.variant for _, own in found}) == 2, query.template
    headers = {run.name.partition(" ")[2] for run in by_day}
    assert len(headers) == len(file.configurations())
    assert len({run.mode for run in by_day}) > 1
    asked = {(query.sql, run.name) for run in by_day for query in run.queries}
    assert asked <= {(query.sql, run.name) for run in at_night for query in run.queries}


def same_text(one: Query, other: Query) -> bool:
    """Whether both stand for one block of a file, perhaps with other values."""
    return (one.template or one.sql) == (other.template or other.sql)


def durations(**changed: object) -> FileDurations:
    options = {"nightly": False, "kernels": "arrow", "device": "cpu", "write-durations": False}
    options |= changed
    return FileDurations(SimpleNamespace(getoption=lambda name: options[name.removeprefix("--")]))


def report(file: str, seconds: float, when: str = "call") -> SimpleNamespace:
    return SimpleNamespace(when=when, user_properties=[("file", file)], duration=seconds)


def test_a_file_beyond_its_time_fails_the_run() -> None:
    limit = BUDGET * SLOWEST_MACHINE
    measured = durations()
    for seconds in (limit / 2, limit / 2):
        measured.pytest_runtest_logreport(report("slow.py", seconds))
        measured.pytest_runtest_logreport(report("fixtures.py", seconds, "setup"))
    session = SimpleNamespace(exitstatus=0)
    measured.pytest_sessionfinish(session, 0)
    assert session.exitstatus == 0
    measured.pytest_runtest_logreport(report("slow.py", 0.1))
    measured.pytest_sessionfinish(session, 0)
    assert measured.too_slow().keys() == {"slow.py"}
    assert session.exitstatus == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("changed", [{"nightly": True}, {"kernels": "cudf"}, {"device": "gpu"}])
def test_other_runs_have_time(changed: dict[str, object]) -> None:
    measured = durations(**changed)
    measured.pytest_runtest_logreport(report("slow.py", 10_000.0))
    assert not measured.too_slow()


GROUPED = """
import pytest

@pytest.fixture(scope="module")
def made(worker_id):
    with open({log!r}, "a") as log:
        log.write(worker_id + " ")

@pytest.mark.parametrize("number", range(8))
def test_uses_it(made, number):
    pass
"""


def test_the_fixtures_of_a_module_are_made_once(tmp_path) -> None:
    """As in `make test`: with some versions of pytest and pytest-xdist groups have no effect."""
    log = tmp_path / "made"
    for name in ("one", "other"):
        (tmp_path / f"test_{name}.py").write_text(GROUPED.format(log=str(log)))
    (tmp_path / "conftest.py").write_text("from grouping import pytest_itemcollected\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"]
    command += ["--dist", "loadgroup", "--no-loadscope-reorder", "--rootdir", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [*command, str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert "16 passed" in done.stdout, done.stdout + done.stderr
    assert sorted(log.read_text().split()) == ["gw0", "gw1"]
