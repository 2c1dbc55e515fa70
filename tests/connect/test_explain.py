"""`broadhead.explain` in a client that has Broadhead, about plans of the server."""

from __future__ import annotations

import pytest

from spark.cluster_programs import ROOT, Run

pytestmark = [pytest.mark.xdist_group("spark connect"), pytest.mark.timeout(900)]

START = f"""
sys.path.insert(0, {str(ROOT / "python")!r})
import broadhead

def nodes(frame):
    return [(node.depth, node.name, node.accelerated) for node in broadhead.explain(frame).nodes]

def lines(frame):
    # The same operators in the text, which this machine's user reads.
    tree = explained(frame).splitlines()[1:]
    return [line.strip(" +-").split(" [")[0].split(" {{")[0]
            for line in tree if line and not line.startswith("Broadhead: ")]
"""


@pytest.fixture(scope="module")
def run(client: Run) -> Run:
    client(START)
    return client


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_operators_and_reasons(run: Run, adaptive: str) -> None:
    found = run(f"""
spark.conf.set("spark.sql.adaptive.enabled", "{adaptive}")
spark.conf.set("spark.broadhead.operator.Sort.enabled", "false")
frame = spark.sql("SELECT k, count(*) AS n FROM t GROUP BY k ORDER BY n")
found = broadhead.explain(frame)
results["counts"] = found.total - found.accelerated
results["reasons"] = found.reasons
results["spark"] = [node.name for node in found.nodes if not node.accelerated]
results["text"] = lines(frame) == [node.name for node in found.nodes]
results["scan"] = (found.nodes[-1].name.startswith("BroadheadFileSourceScan"),
                   found.nodes[-1].depth == len(found.nodes) - 1)
for key in ("spark.sql.adaptive.enabled", "spark.broadhead.operator.Sort.enabled"):
    spark.conf.unset(key)
""")
    assert found["counts"] >= 1
    assert "Sort" in found["spark"]
    assert any("spark.broadhead.operator.Sort.enabled" in reason for reason in found["reasons"])
    assert found["text"]
    assert found["scan"] == [True, True]


def test_functions(run: Run) -> None:
    found = run("""
@udf("long")
def doubled(v):
    return v * 2

@udf("long")
def longest(v):
    return len(str({v: "a; b [c]"}))

frame = spark.table("t").select(doubled("v"), longest("v"))
results["functions"] = [text for node in broadhead.explain(frame).nodes for text in node.functions]
""")
    assert sorted(text.split(":")[0] for text in found["functions"]) == [
        "doubled is computed as an expression",
        "longest is called",
    ]


def test_large_plans(run: Run) -> None:
    """The limit of the server for texts of plans does not matter."""
    found = run("""
spark.conf.set("spark.sql.maxPlanStringLength", "100")
branches = " UNION ALL ".join(f"SELECT k + {n} AS k, v FROM t" for n in range(150))
found = broadhead.explain(spark.sql(f"SELECT k, sum(v) FROM ({branches}) GROUP BY k"))
results["all"] = found.accelerated == found.total
results["scans"] = sum(node.name.startswith("BroadheadFileSourceScan") for node in found.nodes)
spark.conf.unset("spark.sql.maxPlanStringLength")
""")
    assert found == {"all": True, "scans": 150}


def test_errors_of_the_query_are_its_own(run: Run) -> None:
    found = run("""
for text in ("SELECT x FROM t", "SELECT * FROM no_such_function(3)"):
    try:
        broadhead.explain(spark.sql(text))
    except Exception as error:
        results[text] = error.getCondition()
""")
    assert found == {
        "SELECT x FROM t": "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "SELECT * FROM no_such_function(3)": "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
    }


def test_nothing_is_left_in_the_session(run: Run) -> None:
    found = run("""
broadhead.explain(spark.range(3))
results["views"] = [table.name for table in spark.catalog.listTables() if table.isTemporary]
""")
    assert found == {"views": ["t"]}
