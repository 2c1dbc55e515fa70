"""A fragment whose calls of Python functions are placed: expressions, on a GPU or on the CPU."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from broadhead.plan.python_nodes import PythonNode
from broadhead.plan.traversal import find
from broadhead.worker.user_functions.chain_tails import CALLED_WHOLE, with_chain_tails
from broadhead.worker.user_functions.placement import CALLED_ON_HOST, with_device_calls
from broadhead.worker.user_functions.traced import with_traced_functions

if TYPE_CHECKING:
    from broadhead.operators.context import Metrics
    from broadhead.plan.nodes import Fragment, Settings

ON_HOST = "functionsOnHost"
"""The metric by which the JVM learns that functions planned for a GPU run on the CPU."""


def with_placed_functions(fragment: Fragment, *, device_functions: bool) -> Fragment:
    """The fragment with expressions for some functions, and marks for others that may use a GPU.

    `device_functions`: whether the task was planned for a GPU with its functions. Libraries are
    switched on before the functions are loaded, since these import them.
    """
    if not device_functions:
        return with_chain_tails(with_traced_functions(fragment))
    accelerated = _accelerate(fragment.settings)
    fragment = with_traced_functions(fragment)
    return with_device_calls(fragment) if accelerated else fragment


def learnt() -> int:
    """A number that grows when functions may get other targets than before."""
    return CALLED_WHOLE.additions + CALLED_ON_HOST.additions


def add_functions_on_host(fragment: Fragment, metrics: Metrics) -> None:
    """Tell the JVM which functions that were planned for a GPU run on the CPU."""
    for node in find(fragment.root, PythonNode):
        if not node.may_use_gpu:
            metrics.add(node.id, ON_HOST, 1)


@cache
def _accelerate(settings: Settings) -> bool:
    """Whether functions can get cuDF's objects instead of pandas' ones in this process."""
    from broadhead.worker.device import gpu_available

    if not gpu_available():
        return False
    from broadhead.kernels.load import load_kernels
    from broadhead.worker.user_functions import accelerators, fallbacks

    load_kernels("cudf").device.activate(settings)
    if not accelerators.install(settings.python_accelerate):
        return False
    fallbacks.watch()
    return True
