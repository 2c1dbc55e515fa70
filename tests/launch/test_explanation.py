"""What an explanation prints."""

from __future__ import annotations

from broadhead.explanation import Explanation, PlanNode

OFF = "Broadhead is switched off: the Python of the executors cannot import pyarrow <3>"
SCAN = PlanNode(0, "Scan", accelerated=False, reasons=("Broadhead is switched off",))


def test_why_broadhead_is_switched_off() -> None:
    explanation = Explanation(0, 1, (OFF, "Broadhead is switched off"), (SCAN,))
    assert str(explanation).splitlines() == [
        "  Scan  [Broadhead is switched off]",
        OFF,
        "Broadhead: 0 of 1 operators accelerated",
    ]
    assert "cannot import pyarrow &lt;3&gt;" in explanation._repr_html_()


def test_reasons_of_operators_are_printed_once() -> None:
    explanation = Explanation(0, 1, SCAN.reasons, (SCAN,))
    assert str(explanation).count("switched off") == 1


def test_a_plan_without_operators_prints_its_reasons() -> None:
    assert str(Explanation(0, 0, ("set x",))).splitlines() == [
        "set x",
        "Broadhead: 0 of 0 operators accelerated",
    ]


def test_expressions_by_sparks_code_are_counted() -> None:
    note = "Spark evaluates an expression: function soundex is not supported"
    project = PlanNode(0, "BroadheadProject", accelerated=True, reasons=(), functions=(note,))
    scan = PlanNode(1, "BroadheadFileSourceScan", accelerated=True, reasons=())
    assert project.by_spark == ("function soundex is not supported",)
    explanation = Explanation(2, 2, (), (project, scan))
    counted = "2 of 2 operators accelerated, 1 of them with expressions by Spark's code"
    assert explanation.summary == f"Broadhead: {counted}"
    assert "</span>, with Spark&#39;s code" in explanation._repr_html_()
