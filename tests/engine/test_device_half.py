"""A fragment on the GPU that has no memory left: again on the CPU, where that is still possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from broadhead.engine.compiled_fragment import compile_fragment
from broadhead.errors import DeviceLostError, UserError
from broadhead.kernels import gpu_memory
from broadhead.kernels.load import load_kernels
from broadhead.operators.context import Metrics
from broadhead.plan import nodes
from broadhead.types import LONG
from broadhead.worker import device_half
from broadhead.worker.device_half import CpuRun, GpuRun, run_on_device
from broadhead.worker.multi_process_service import IN_ORDER
from engine.fragments import MemorySources, scan

if TYPE_CHECKING:
    from pathlib import Path

    from broadhead.shuffle.block import Rows
    from broadhead.worker.device_half import DeviceRun

FRAGMENT = compile_fragment(nodes.Fragment(scan(0, a=LONG), nodes.Settings(device="gpu"), {}))


@dataclass
class Inputs(MemorySources):
    """Sources that can be read again, or not."""

    can_restart: bool = True
    broadcasts: Mapping[int, str] = field(default_factory=dict)

    def all_splits(self) -> dict[int, Any]:
        return {}

    def buffer(self, limit: int) -> int:
        return 0


@dataclass
class Host:
    """Gives so many outputs of the run on the GPU, then fails; all of a run on the CPU."""

    error: Exception | None
    before: int = 0
    ahead: list[str] = field(default_factory=list)
    runs: list[type] = field(default_factory=list)

    @contextmanager
    def read_ahead(self) -> Iterator[Mapping[int, Iterator[Rows]]]:
        self.ahead.append("opened")
        yield {}
        self.ahead.append("closed")

    def outputs(self, run: DeviceRun) -> Iterator[str]:
        self.runs.append(type(run))
        if isinstance(run, GpuRun) and self.error is not None:
            yield from ["gpu"] * self.before
            raise self.error
        yield "all"


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with a GPU, on which the kernels of the CPU run."""
    monkeypatch.setattr(device_half, "choose_kernels", lambda *_: "cudf")
    monkeypatch.setattr(device_half, "load_kernels", lambda _: load_kernels("arrow"))


def outputs(host: Host, inputs: Inputs, metrics: Metrics) -> list[str]:
    request: Any = SimpleNamespace(memory=None)
    return list(run_on_device(FRAGMENT, request, inputs, metrics, host))


def test_a_task_that_runs_on_the_gpu_is_counted() -> None:
    host, metrics = Host(None), Metrics()
    assert outputs(host, Inputs(), metrics) == ["all"]
    assert (host.runs, host.ahead) == ([GpuRun], ["opened", "closed"])
    assert metrics.values == {"0.device": 1}


def test_out_of_memory_before_the_first_output_starts_again_on_the_cpu() -> None:
    host, metrics = Host(MemoryError()), Metrics()
    assert outputs(host, Inputs(), metrics) == ["all"]
    assert host.runs == [GpuRun, CpuRun]
    assert metrics.values == {}


@pytest.mark.parametrize(("failures", "runs"), [(1, [GpuRun] * 2), (2, [GpuRun] * 2 + [CpuRun])])
def test_a_process_of_all_tasks_tries_again_with_more_room_and_smaller_batches(
    failures: int, runs: list[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_memory, "only_process", True)
    steps: list[str] = []
    monkeypatch.setattr(device_half.KEPT, "shrink", lambda *_: steps.append("room"))

    class Short(Host):
        def outputs(self, run: DeviceRun) -> Iterator[str]:
            self.runs.append(type(run))
            steps.append(f"1/{run.settings.gpu_memory_parts}")
            if len(self.runs) <= failures:
                raise MemoryError
            yield "all"

    host, metrics = Short(None), Metrics()
    assert outputs(host, Inputs(), metrics) == ["all"]
    assert host.runs == runs
    assert steps[:3] == ["1/1", "room", "1/4"]
    assert metrics.values == ({"0.device": 1} if CpuRun not in runs else {})


@pytest.mark.parametrize(("before", "can_restart"), [(1, True), (0, False)])
def test_what_has_gone_cannot_start_again(before: int, *, can_restart: bool) -> None:
    host = Host(MemoryError(), before)
    with pytest.raises(MemoryError):
        outputs(host, Inputs(can_restart=can_restart), Metrics())
    assert host.runs == [GpuRun]


@pytest.mark.parametrize(("memory", "operators"), [(64 << 20, 16 << 20), (1 << 40, 512 << 20)])
def test_buffers_of_operators_fit_into_the_workers_memory(
    memory: int, operators: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_half, "choose_kernels", lambda *_: "arrow")
    request: Any = SimpleNamespace(memory=memory)
    found: list[int] = []

    class Reader(Host):
        def outputs(self, run: DeviceRun) -> Iterator[str]:
            found.append(run.settings.operator_memory)
            return super().outputs(run)

    list(run_on_device(FRAGMENT, request, Inputs(), Metrics(), Reader(None)))
    assert found == [operators]


def test_the_users_own_out_of_memory_never_runs_again() -> None:
    host = Host(UserError(MemoryError()))
    with pytest.raises(UserError):
        outputs(host, Inputs(), Metrics())
    assert host.runs == [GpuRun]


@pytest.mark.parametrize("error", [RuntimeError("700"), MemoryError()])
def test_a_lost_device_is_an_error_of_its_own(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(load_kernels("arrow").device, "is_lost", lambda: True)
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    (tmp_path / IN_ORDER).touch()
    host = Host(error)
    with pytest.raises(DeviceLostError, match="cannot use the GPU any more"):
        outputs(host, Inputs(), Metrics())
    assert host.runs == [GpuRun]
    assert list(tmp_path.iterdir()) == []


def test_a_service_of_the_host_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(load_kernels("arrow").device, "is_lost", lambda: True)
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    (tmp_path / "control").touch()
    with pytest.raises(DeviceLostError):
        outputs(Host(RuntimeError("700")), Inputs(), Metrics())
    assert [file.name for file in tmp_path.iterdir()] == ["control"]
