"""Queries whose rows explode, pile up in one group or are long; sixteen rows at most."""

from __future__ import annotations

HALF = "SELECT if(l_orderkey % 2 = 0, 0, l_suppkey) k, * FROM lineitem"
"""Half of the rows have one key."""

CASES = {
    "join-of-one-key": """
        SELECT count(*), sum(a.l_quantity * b.w)
        FROM (SELECT if(l_orderkey % 2 = 0, 0, l_orderkey) k, l_quantity FROM lineitem) a
        JOIN (SELECT if(o_orderkey % 2 = 0, 0, o_orderkey) k, max(o_totalprice) w
              FROM orders GROUP BY 1) b ON a.k = b.k""",
    "group-of-half": f"""
        SELECT count(*), sum(c), sum(q), max(m)
        FROM (
          SELECT k, count(*) c, sum(l_quantity) q, max(l_comment) m FROM ({HALF}) GROUP BY k)""",
    "window-of-half": f"""
        SELECT sum(r), sum(q) FROM (
          SELECT row_number() OVER (PARTITION BY k ORDER BY l_orderkey, l_linenumber) r,
            sum(l_quantity) OVER (PARTITION BY k ORDER BY l_orderkey, l_linenumber) q
          FROM ({HALF}))""",
    "explode": """
        SELECT count(*), sum(x) FROM (SELECT explode(sequence(1, 1000000)) x FROM range(64))""",
    "cross-join": """
        SELECT count(*), sum(a.c_custkey * b.n_nationkey + c.s_suppkey)
        FROM (SELECT * FROM customer WHERE c_custkey % 100 = 0) a
        CROSS JOIN nation b CROSS JOIN supplier c WHERE c.s_suppkey < 2000""",
    "nested-loop-join": """
        SELECT count(*), sum(p_size)
        FROM (SELECT * FROM part WHERE p_partkey < 20000)
        JOIN (SELECT * FROM supplier WHERE s_suppkey < 10000) ON p_partkey > s_suppkey + p_size""",
    "list-of-ten-million": """
        SELECT size(collect_list(l_comment)) FROM lineitem WHERE l_orderkey % 3 = 0""",
    "groups-as-rows": """
        SELECT count(*), sum(c), max(x) FROM (
          SELECT l_orderkey, l_linenumber, count(*) c, sum(l_extendedprice) x, max(l_comment) y
          FROM lineitem GROUP BY l_orderkey, l_linenumber)""",
    "sort-of-all": """
        SELECT bit_xor(hash(l_orderkey, l_comment, i)) FROM (
          SELECT l_orderkey, l_comment, row_number() OVER (
            ORDER BY l_comment, l_orderkey, l_linenumber) i FROM lineitem)""",
    "long-texts": """
        SELECT count(*), sum(length(t)), max(md5(t)) FROM (
          SELECT /*+ repartition(8) */ repeat(CAST(id AS STRING), 3000) t FROM range(200000))""",
    "sort-of-texts": """
        SELECT sum(length(t)) FROM (
          SELECT t FROM (SELECT repeat(md5(CAST(id AS STRING)), 300) t FROM range(200000))
          ORDER BY t)""",
    "groups-of-texts": """
        SELECT count(*), sum(n), max(length(t)) FROM (
          SELECT t, count(*) n FROM (
            SELECT repeat(md5(CAST(id % 100000 AS STRING)), 100) t FROM range(400000))
          GROUP BY t)""",
    "huge-texts": """
        SELECT max(length(repeat(t, 4000000))), count(*)
        FROM (SELECT md5(CAST(id AS STRING)) t FROM range(12))""",
}

TEXT_CASES = {
    "sort-of-long-texts": """
        SELECT sum(length(t)), bit_xor(hash(t, i)) FROM (
          SELECT t, row_number() OVER (PARTITION BY k % 5 ORDER BY t) i FROM texts)""",
    "groups-of-long-texts": """
        SELECT count(*), max(m) FROM (SELECT k % 100000 g, max(t) m FROM texts GROUP BY 1)""",
    "join-of-long-texts": """
        SELECT count(*), sum(length(a.t) + length(b.t))
        FROM texts a JOIN texts b ON a.k = b.k + 1""",
}
"""Over `texts`: 200,000 texts of 10 kB, 25,000 in each file."""
