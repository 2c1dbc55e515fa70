"""Exceptions of the user's own code: told as such, whatever they are, and never made good."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.errors import UserError, WouldRaise
from broadhead.operators.context import Metrics, Run
from broadhead.worker.streams import divide, run_shares
from broadhead.worker.task_run import run_task
from engine.channels import MemoryChannel
from engine.test_streams import split
from engine.test_task_channel import TEXT, task_frames

if TYPE_CHECKING:
    from broadhead.columns import Batch
    from broadhead.operators.context import Sources
    from broadhead.worker.frames import Frame


class Hostile(Exception):
    """Cannot be told."""

    def __str__(self) -> str:
        raise ValueError("no text")


def the_users_function(error: BaseException) -> None:
    raise error


@pytest.fixture
def user_code(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes the user's function raise an error in an operator, behind some batches."""
    measure = Run.measure

    def install(error: BaseException, *, behind: int = 0) -> None:
        def failing(self: Run, node_id: int, batches: Iterator[Batch]) -> Iterator[Batch]:
            for number, batch in enumerate(measure(self, node_id, batches)):
                if number == behind:
                    try:
                        the_users_function(error)
                    except BaseException as raised:
                        raise UserError(raised) from raised
                yield batch

        monkeypatch.setattr(Run, "measure", failing)

    return install


def error_of(frame: Frame) -> dict[str, Any]:
    assert frame.tag == "E"
    found = json.loads(frame.body)
    assert isinstance(found, dict)
    return found


ERRORS = [
    ValueError("mine"),
    MemoryError("mine"),
    FileNotFoundError("mine"),
    pa.ArrowInvalid("mine"),
    WouldRaise("DIVIDE_BY_ZERO"),
    NotImplementedError("mine"),
    SystemExit(3),
    KeyboardInterrupt(),
    Hostile(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_user_error_is_told_as_one(user_code: Callable[..., None], error: BaseException) -> None:
    user_code(error)
    channel = MemoryChannel(task_frames(1, 2))
    run_task(TEXT, channel)
    assert channel.tags == "EM"
    assert channel.read() is None
    found = error_of(channel.written[0])
    assert found["kind"] == "user"
    assert found["reason"] == type(error).__name__
    text = found["traceback"]
    assert text.startswith("Traceback (most recent call last):\n")
    assert "in the_users_function" in text
    assert type(error).__name__ in text.splitlines()[-1]
    assert "UserError" not in text
    assert "broadhead/worker" not in text


def test_a_user_error_behind_rows(user_code: Callable[..., None]) -> None:
    user_code(OSError("mine"), behind=2)
    channel = MemoryChannel(task_frames(1, 2, 3))
    run_task(TEXT, channel)
    assert channel.tags == "AAEM"
    assert error_of(channel.written[2])["kind"] == "user"


def test_the_same_errors_of_the_engine_are_none_of_the_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = {}
    for error in (MemoryError("ours"), OSError("ours"), ValueError("ours")):

        def failing(self: Run, *arguments: Any, error: Exception = error) -> Iterator[Batch]:
            raise error

        monkeypatch.setattr(Run, "measure", failing)
        channel = MemoryChannel(task_frames(1))
        run_task(TEXT, channel)
        kinds[type(error).__name__] = error_of(channel.written[0])["kind"]
    assert kinds == {"MemoryError": "replay", "OSError": "replay", "ValueError": "error"}


@pytest.mark.parametrize("setting", ["SPARK_HIDE_TRACEBACK", "SPARK_SIMPLIFIED_TRACEBACK"])
def test_the_text_follows_sparks_settings(
    user_code: Callable[..., None], monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(setting, "1")
    user_code(ValueError("mine"))
    channel = MemoryChannel(task_frames(1))
    run_task(TEXT, channel)
    text = error_of(channel.written[0])["traceback"]
    if setting == "SPARK_HIDE_TRACEBACK":
        assert text == "ValueError: mine\n"
    else:
        assert text.startswith("Traceback (most recent call last):\n")
        assert text.endswith("in the_users_function\n    raise error\nValueError: mine\n")


def test_a_user_error_leaves_a_stream_as_one() -> None:
    def run_part(
        share: Sources, own: Metrics, stopped: Callable[[], bool]
    ) -> Iterator[pa.RecordBatch]:
        raise UserError(MemoryError("mine"))
        yield

    shares = divide({0: [split(0, 2), split(1, 1)]}, 2)
    with pytest.raises(UserError):
        list(run_shares(shares, run_part, Metrics(), lambda: False))
