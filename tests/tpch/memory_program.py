"""Runs queries in a session of eight tasks, and prints a digest of each answer.

python memory_program.py DATA QUERY...    TPC-H's number, or a name in QUERIES
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

import broadhead
from broadhead.demo.queries import load_query
from tpch.memory_cases import CASES, TEXT_CASES

if TYPE_CHECKING:
    from collections.abc import Sequence

SCALE = 5.0
WINDOW = """
SELECT count(*), sum(q), sum(r), bit_xor(hash(l_orderkey, l_linenumber, q, r)) FROM (
  SELECT l_orderkey, l_linenumber,
    sum(l_quantity) OVER (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber) q,
    row_number() OVER (
      PARTITION BY l_suppkey ORDER BY l_extendedprice, l_orderkey, l_linenumber) r
  FROM lineitem)
"""
QUERIES = {"window": WINDOW} | CASES | TEXT_CASES


def print_answers(master: str, data: str, names: Sequence[str]) -> None:
    """Print the name of each query and the digest of its rows."""
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    session = broadhead.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for table in Path(data).iterdir():
        session.read.parquet(str(table)).createOrReplaceTempView(table.name)
    for name in names:
        text = QUERIES[name] if name in QUERIES else load_query(int(name), SCALE).sql
        rows = sorted(map(repr, session.sql(text).collect()))
        print(name, hashlib.sha256(repr(rows).encode()).hexdigest()[:16], flush=True)


if __name__ == "__main__":
    print_answers("local[8]", sys.argv[1], sys.argv[2:])
