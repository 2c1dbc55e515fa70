"""The programs of a fragment, shared by its tasks and streams."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from broadhead.expressions.compiler import compile_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from broadhead.expressions.program import Program, Services
    from broadhead.kernels.interface import Kernels
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Zone


class Programs:
    """The programs of a fragment's expressions, each compiled at its first use.

    Safe to use from several threads. There are no more than the fragment's nodes need.
    """

    def __init__(self, zones: Mapping[str, Zone]) -> None:
        self.zones = zones
        self._lock = threading.Lock()
        self._compiled: dict[tuple[int, tuple[Expression, ...]], Program] = {}

    def of(
        self, kernels: Kernels, expressions: Iterable[Expression], services: Services
    ) -> Program:
        """The program of these expressions, compiled with the services of the run that is first."""
        key = (id(kernels), tuple(expressions))
        with self._lock:
            program = self._compiled.get(key)
            if program is None:
                program = compile_program(kernels, key[1], self.zones, services)
                # other threads use the constants on their own streams
                kernels.device.synchronize()
                self._compiled[key] = program
            return program
