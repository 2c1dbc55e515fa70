"""Suite tpcds: the queries of TPC-DS as Spark's tests have them, engines taking turns."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpcds.data import make_data, schemas
from tpcds.queries import load_texts, order_of
from turns import Measured, Turns

from engine import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurements import Options, Results

    from broadhead.demo.compare import Ordered


@dataclass(frozen=True)
class MeasuredText(Measured):
    """A query whose order is read from its text."""

    text: str = ""

    def ordered(self, columns: Sequence[str]) -> Ordered:
        """What ORDER BY and LIMIT of the text say about these columns."""
        return order_of(self.text, columns)


def run(options: Options, results: Results) -> None:
    """Warm up, compare and time each query on all engines before the next query."""
    root = options.data / "tpcds"
    texts = load_texts(root / "maven", options.queries)
    folder = make_data(root, options.scale, options.cores, options.memory).resolve()
    with ExitStack() as stack:
        turns = Turns(options, results, {table: str(folder / table) for table in schemas()})
        for engine in options.engines:
            log = options.logs / f"tpcds-{engine.name}.log"
            process = EngineProcess(engine, options.session_conf(), log)
            stack.callback(process.stop)
            turns.start(process)
        for name, text in texts.items():
            if options.late:
                results.add_error(name, "all", "not run: the suite's time is used up")
                continue
            turns.measure(MeasuredText(name, {"do": "run", "sql": text}, text=text))
            results.save()
