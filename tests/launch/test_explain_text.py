"""Reading the explain string of a Spark Connect server."""

from __future__ import annotations

from broadhead.explanation import parse_explain_text

TEXT = """== Physical Plan ==
Sort [k#1 ASC]

== Extended Information (Broadhead) ==
Sort  [Sort is not supported]
+- Exchange  [Exchange is not supported; set x]
   +- BroadheadHashAggregate
      +- BroadheadFileSourceScan

Broadhead: 2 of 4 operators accelerated
"""


def test_text() -> None:
    found = parse_explain_text(TEXT)
    assert (found.accelerated, found.total) == (2, 4)
    assert found.reasons == ("Sort is not supported", "Exchange is not supported", "set x")
    assert [(node.depth, node.name, node.accelerated) for node in found.nodes] == [
        (0, "Sort", False),
        (1, "Exchange", False),
        (2, "BroadheadHashAggregate", True),
        (3, "BroadheadFileSourceScan", True),
    ]
    assert str(found).splitlines()[-1] == "Broadhead: 2 of 4 operators accelerated"


def test_html_is_escaped() -> None:
    found = parse_explain_text(TEXT.replace("Sort  ", "a<b  "))
    assert "a&lt;b" in found._repr_html_()


def test_a_server_without_broadhead() -> None:
    found = parse_explain_text("== Physical Plan ==\nSort\n")
    assert (found.accelerated, found.total) == (0, 0)
    assert found.reasons
