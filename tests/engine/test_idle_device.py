"""When the process of a GPU gives its free memory back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from broadhead.device.idle import Idle

if TYPE_CHECKING:
    from collections.abc import Callable


def test_memory_is_released_once_after_the_last_task() -> None:
    released = threading.Event()
    calls: list[int] = []

    def release(is_busy: Callable[[], bool]) -> None:
        assert not is_busy()
        calls.append(1)
        released.set()

    idle = Idle(release, seconds=0.05)
    with idle.task():
        with idle.task():
            pass
        assert not released.wait(0.2)
    assert released.wait(20)
    assert calls == [1]


def test_a_task_that_comes_meanwhile_is_noticed() -> None:
    noticed, came = threading.Event(), threading.Event()

    def release(is_busy: Callable[[], bool]) -> None:
        came.wait(20)
        if is_busy():
            noticed.set()

    idle = Idle(release, seconds=0.01)
    with idle.task():
        pass
    threading.Event().wait(0.2)
    with idle.task():
        came.set()
        assert noticed.wait(20)


def test_a_new_task_keeps_the_memory() -> None:
    calls: list[int] = []
    idle = Idle(lambda _: calls.append(1), seconds=0.2)
    with idle.task():
        pass
    with idle.task():
        assert not threading.Event().wait(0.5)
        assert calls == []
