"""The values of a Window's functions for a block of one partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.operators.aggregate.aggregate_calls import implementation_of, run_rounds
from broadhead.operators.window.window_columns import finished, update_frames
from broadhead.plan.windows import AggregateWindow
from broadhead.types import LONG
from broadhead.window_functions.block import BlockPosition, BlockRows
from broadhead.window_functions.frames import is_whole
from broadhead.window_functions.registry import window_functions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.window.window_columns import Inputs, WindowColumns
    from broadhead.plan.nodes import AggregateCall
    from broadhead.plan.windows import Frame, Window

Buffers = list[Column]
"""An aggregate's buffers, one row."""


class BlockColumns:
    """Aggregates each block first, so that the aggregates before and after a block are known."""

    def __init__(self, node: Window, columns: WindowColumns, run: Run) -> None:
        self._node = node
        self._prepare = columns.prepare
        self._run = run
        self._orders = run.compile([order.expression for order in node.order])
        self._blocks: dict[int, list[Buffers]] = {
            number: []
            for number, function in enumerate(node.functions)
            if isinstance(function, AggregateWindow) and _is_open(function.frame, node)
        }
        self._before: dict[int, list[Buffers]] = {}
        self._after: dict[int, list[Buffers]] = {}

    def peer_starts(self, rows: Batch) -> Array:
        """The first row of each group of peers; without an order, all rows are peers."""
        window = self._run.kernels.window
        keys = [column.data for column in self._orders.evaluate(rows)]
        return window.runs(window.changes(keys, rows.length)).starts

    def add(self, block: Batch) -> None:
        """Aggregate the next block."""
        inputs = self._prepare(block).inputs
        for number, known in self._blocks.items():
            known.append(self._update(self._call(number), inputs[number], 0, block.length))

    def close(self) -> None:
        """All blocks are known: combine the blocks before and after each of them."""
        for number, known in self._blocks.items():
            call = self._call(number)
            self._before[number] = self._running(call, known)
            self._after[number] = self._running(call, known[::-1], backwards=True)[::-1]

    def _running(
        self, call: AggregateCall, blocks: Sequence[Buffers], *, backwards: bool = False
    ) -> list[Buffers]:
        """For each block, the combination of all blocks up to and including it."""
        running = list(blocks[:1])
        for block in blocks[1:]:
            pair = (block, running[-1]) if backwards else (running[-1], block)
            running.append(self._merge(call, *pair))
        return running

    def evaluate(
        self, number: int, in_memory: Batch, block_position: BlockPosition
    ) -> list[Column]:
        """One column for each function, for block `number`, with its neighbours in memory."""
        prepared = self._prepare(in_memory)
        run = self._run
        rows = BlockRows(run.kernels, block_position, in_memory.length, prepared.order, run.zones)
        columns = []
        for position, function in enumerate(self._node.functions):
            inputs = prepared.inputs[position]
            if isinstance(function, AggregateWindow):
                columns.append(self._aggregate(position, number, rows, inputs, block_position))
            else:
                evaluate = window_functions()[function.name].evaluate
                columns.append(evaluate(rows, function, inputs))
        return columns

    def _aggregate(
        self,
        position: int,
        block: int,
        rows: BlockRows,
        inputs: Inputs,
        block_position: BlockPosition,
    ) -> Column:
        function = self._node.functions[position]
        assert isinstance(function, AggregateWindow)
        call, frame = function.call, function.frame
        window = self._run.kernels.window
        if is_whole(frame, ordered=bool(self._node.order)):
            total = finished(self._run, call, self._before[position][-1])
            return Column(rows.at(total.data, rows.constant(0)), total.type)
        bounds = rows.bounds(frame)
        if frame.lower == "unbounded":
            grouping = window.frames(rows.constant(block_position.start), bounds.end, "begin")
            (buffers,) = update_frames(self._run, [call], [inputs], grouping)
            if block:
                buffers = self._merge(call, self._before[position][block - 1], buffers)
        elif frame.upper == "unbounded":
            grouping = window.frames(bounds.begin, rows.constant(block_position.end), "end")
            (buffers,) = update_frames(self._run, [call], [inputs], grouping)
            if block + 1 < len(self._after[position]):
                buffers = self._merge(call, buffers, self._after[position][block + 1])
        else:
            grouping = window.frames(bounds.begin, bounds.end, "none")
            (buffers,) = update_frames(self._run, [call], [inputs], grouping)
        return finished(self._run, call, buffers)

    def _call(self, number: int) -> AggregateCall:
        function = self._node.functions[number]
        assert isinstance(function, AggregateWindow)
        return function.call

    def _update(self, call: AggregateCall, inputs: Inputs, begin: int, end: int) -> Buffers:
        """The buffers of the rows from `begin` (inclusive) to `end` (exclusive)."""
        columns = self._run.kernels.columns
        first, last = (columns.full(columns.scalar(edge, LONG), 1) for edge in (begin, end))
        grouping = self._run.kernels.window.frames(first, last, "begin")
        (buffers,) = update_frames(self._run, [call], [inputs], grouping)
        return buffers

    def _merge(self, call: AggregateCall, first: Buffers, second: Buffers) -> Buffers:
        """The rows of the first merged with those of the second; a single row with each."""
        k = self._run.kernels
        lengths = [k.columns.length(side[0].data) for side in (first, second)]
        count = max(lengths)
        positions = _alternating(self._run, lengths, count)
        mixed = [
            Column(
                k.columns.take(k.columns.concat([[a.data], [b.data]]), positions)[0],
                a.type,
            )
            for a, b in zip(first, second, strict=True)
        ]
        begin = k.arithmetic.multiply(k.columns.sequence(count), k.columns.scalar(2, LONG))
        end = k.arithmetic.add(begin, k.columns.scalar(2, LONG))
        grouping = k.window.frames(begin, end, "none")
        implementation = implementation_of(call, self._run)
        return run_rounds([implementation.merge(k, grouping, call, mixed)], grouping)


def _is_open(frame: Frame, node: Window) -> bool:
    """Whether a frame is unbounded on at least one side, so that it includes other blocks."""
    whole = is_whole(frame, ordered=bool(node.order))
    return whole or "unbounded" in (frame.lower, frame.upper)


def _alternating(run: Run, lengths: Sequence[int], count: int) -> Array:
    """Positions in the first side followed by the second, alternating."""
    arithmetic, columns = run.kernels.arithmetic, run.kernels.columns
    index = columns.sequence(2 * count)
    two = columns.scalar(2, LONG)
    row, side = arithmetic.quotient(index, two), arithmetic.remainder(index, two)
    zero = columns.scalar(0, LONG)
    first = row if lengths[0] > 1 else arithmetic.multiply(row, zero)
    second = row if lengths[1] > 1 else arithmetic.multiply(row, zero)
    second = arithmetic.add(second, columns.scalar(lengths[0], LONG))
    is_first = run.kernels.compare.compare("equal", side, zero)
    return run.kernels.logic.if_else(is_first, first, second)
