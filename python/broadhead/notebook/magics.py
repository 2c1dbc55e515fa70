"""`%broadhead` explains or profiles a query, `%%broadhead` runs a cell and shows what ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from broadhead.explanation import explain
from broadhead.notebook.cell_code import run_cell
from broadhead.notebook.cell_watch import CellWatch
from broadhead.notebook.sessions import active_session
from broadhead.profiling import profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame

    from broadhead.explanation import Explanation
    from broadhead.profiling import QueryProfile

_VERBS: Mapping[str, Callable[[DataFrame], Explanation | QueryProfile]] = {
    "explain": explain,
    "profile": profile,
}
_USAGE = (
    "%broadhead takes `explain` or `profile` and a DataFrame or a query in SQL; "
    "%%broadhead alone runs a cell and shows what ran"
)


@magics_class
class BroadheadMagics(Magics):  # type: ignore[misc]
    """The magics of Broadhead."""

    @line_cell_magic  # type: ignore[untyped-decorator]
    def broadhead(self, line: str, cell: str | None = None) -> Explanation | QueryProfile | None:
        """Explain or profile a query, or run a cell and show what ran.

        ::

            %broadhead explain df                     which operators are accelerated, and why not
            %broadhead profile df                     run it: rows and times of each operator
            %broadhead explain SELECT count(*) FROM t

            %%broadhead
            df.groupBy("k").sum("v").show()
        """
        __tracebackhide__ = True
        verb, _, rest = line.strip().partition(" ")
        if not verb and cell is not None:
            self._run(cell)
            return None
        query = f"{rest}\n{cell or ''}".strip()
        if verb not in _VERBS or not query:
            raise UsageError(_USAGE)
        return _VERBS[verb](self._frame(query))

    def _run(self, cell: str) -> None:
        __tracebackhide__ = True
        watch = CellWatch(self.shell)
        try:
            run_cell(self.shell, cell)
        finally:
            # A cell that raises shows what ran, too.
            display(watch.finish())

    def _frame(self, query: str) -> DataFrame:
        """Give the DataFrame of a Python expression or of a query in SQL."""
        try:
            code = compile(query, "<%broadhead>", "eval")
        except SyntaxError:
            return self._sql(query)
        try:
            value: Any = eval(code, self.shell.user_global_ns, self.shell.user_ns)
        except NameError as error:
            raise UsageError(f"%broadhead: {error}") from None
        if isinstance(value, str):
            return self._sql(value)
        if not hasattr(value, "sparkSession"):
            kind = type(value).__name__
            raise UsageError(f"%broadhead: {query} is a {kind}; give a DataFrame or a query in SQL")
        frame: DataFrame = value
        return frame

    def _sql(self, query: str) -> DataFrame:
        session = active_session(self.shell.user_ns)
        if session is None:
            raise UsageError("%broadhead: there is no Spark session; start one first")
        return session.sql(query)
