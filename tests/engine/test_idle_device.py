"""When the process of a GPU gives its free memory back."""

from __future__ import annotations

import threading

from broadhead.device.idle import Idle


def test_memory_is_released_once_after_the_last_task() -> None:
    released = threading.Event()
    calls: list[int] = []

    def release() -> None:
        calls.append(1)
        released.set()

    idle = Idle(release, seconds=0.05)
    with idle.task():
        with idle.task():
            pass
        assert not released.wait(0.2)
    assert released.wait(20)
    assert calls == [1]


def test_a_new_task_keeps_the_memory() -> None:
    calls: list[int] = []
    idle = Idle(lambda: calls.append(1), seconds=0.2)
    with idle.task():
        pass
    with idle.task():
        assert not threading.Event().wait(0.5)
        assert calls == []
