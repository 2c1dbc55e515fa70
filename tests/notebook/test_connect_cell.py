"""What a cell with a session of Spark Connect shows of what the client knows."""

from __future__ import annotations

from pyspark.sql.connect.shell.progress import StageInfo

from broadhead.explanation import Explanation, PlanNode
from broadhead.notebook.connect_cell import ConnectCell
from broadhead.notebook.progress import RemoteTasks, Tasks

SORT = PlanNode(0, "Sort<b>", accelerated=False, reasons=("set x",))
SCAN = PlanNode(1, "BroadheadFileSourceScan", accelerated=True, reasons=())
PLAN = Explanation(1, 2, ("set x",), (SORT, SCAN))


def test_tasks_of_all_running_queries() -> None:
    remote = RemoteTasks()
    assert remote.tasks is None
    remote([StageInfo(0, 4, 1, 0, done=False)], 2, "first", False)
    remote(
        [StageInfo(1, 8, 8, 0, done=True), StageInfo(2, 2, 0, 0, done=False)], 1, "second", False
    )
    assert remote.tasks == Tasks(completed=9, total=14, running=3, stages=2)
    remote([], 0, "second", True)
    assert remote.tasks == Tasks(completed=1, total=4, running=2, stages=1)
    remote([], 0, "first", True)
    assert remote.tasks is None
    assert remote.queries == {"first", "second"}


def test_frames_are_shown_by_name() -> None:
    wrong = Explanation(0, 0, ("no such column",))
    cell = ConnectCell(2, 1.5, (("sums", PLAN), ("wrong", wrong)), others=3)
    assert str(cell).split("\n\n") == [
        "Broadhead: 2 queries on the Spark Connect server, 1.50 s",
        f"sums\n{PLAN}",
        "wrong\nno such column\nBroadhead: 0 of 0 operators accelerated",
        "and 3 more DataFrames",
    ]
    html = cell._repr_html_()
    assert "<code>Sort&lt;b&gt;</code>" in html
    assert "no such column" in html


def test_a_cell_without_frames_says_so() -> None:
    assert "no DataFrame in a variable" in ConnectCell(1, 0.1, (), 0)._repr_html_()
