"""What a process imports before the first task asks for it."""

from __future__ import annotations

import importlib

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import functions
from broadhead.window_functions.registry import window_functions

_IMPORTED = (
    "pyarrow.acero",
    "pyarrow.compute",
    "pyarrow.parquet",
    "broadhead.operators.exchange.broadcast_cache",
    "broadhead.worker.device_half",
    "broadhead.worker.fragment_cache",
    "broadhead.worker.host_half",
    "broadhead.worker.sources",
    "broadhead.worker.task",
)


def import_engine() -> None:
    """Import what the first task needs, with the kernels of the CPU."""
    for module in _IMPORTED:
        importlib.import_module(module)
    importlib.import_module("broadhead.kernels.load").load_kernels("arrow")
    for registered in (functions, aggregates, window_functions):
        registered()
