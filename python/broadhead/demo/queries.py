"""The 22 queries derived from TPC-H, and the tables they read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

NOTE = (
    "Derived from TPC-H; not comparable to published TPC-H results, "
    "as it does not comply with the TPC-H specification (www.tpc.org)."
)

TABLES = (
    "region",
    "nation",
    "supplier",
    "customer",
    "part",
    "partsupp",
    "orders",
    "lineitem",
)

# The output columns by which each query orders its rows; rows that tie may come in any order.
_ORDER_BY: dict[int, tuple[str, ...]] = {
    1: ("l_returnflag", "l_linestatus"),
    2: ("s_acctbal", "n_name", "s_name", "p_partkey"),
    3: ("revenue", "o_orderdate"),
    4: ("o_orderpriority",),
    5: ("revenue",),
    6: (),
    7: ("supp_nation", "cust_nation", "l_year"),
    8: ("o_year",),
    9: ("nation", "o_year"),
    10: ("revenue",),
    11: ("value",),
    12: ("l_shipmode",),
    13: ("custdist", "c_count"),
    14: (),
    15: ("s_suppkey",),
    16: ("supplier_cnt", "p_brand", "p_type", "p_size"),
    17: (),
    18: ("o_totalprice", "o_orderdate"),
    19: (),
    20: ("s_name",),
    21: ("numwait", "s_name"),
    22: ("cntrycode",),
}
_LIMIT: dict[int, int] = {2: 100, 3: 10, 10: 20, 18: 100, 21: 100}

NUMBERS = tuple(sorted(_ORDER_BY))

# Q11 asks for parts above a fraction of the whole stock value: 0.0001 / scale factor.
_FRACTION_QUERY = 11
_FRACTION_AT_SCALE_1 = "0.0001000000"


@dataclass(frozen=True)
class Query:
    """One query: its number and name, its text, and the columns that order its rows."""

    number: int
    name: str
    sql: str
    order_by: tuple[str, ...]
    limit: int | None

    @property
    def label(self) -> str:
        """Short name, as in tables: ``Q1``."""
        return f"Q{self.number}"


@cache
def load_query(number: int, scale: float = 1.0) -> Query:
    """Query `number` (1 to 22) with the parameters of the validation run, for data of `scale`."""
    if number not in _ORDER_BY:
        raise ValueError(f"there is no TPC-H query {number}: choose from 1 to {NUMBERS[-1]}")
    path = Path(__file__).parent / "tpch" / f"q{number:02}.sql"
    heading, _, sql = path.read_text(encoding="utf-8").partition("\n")
    if number == _FRACTION_QUERY:
        sql = sql.replace(_FRACTION_AT_SCALE_1, f"{0.0001 / scale:.12f}")
    name = heading.partition(": ")[2].partition(" (")[0]
    return Query(number, name, sql, _ORDER_BY[number], _LIMIT.get(number))


def parse_numbers(text: str) -> tuple[int, ...]:
    """Query numbers of a list such as ``1,6`` or ``1-5,12``, in its order, without repeats."""
    numbers: dict[int, None] = {}
    for part in filter(None, (field.strip() for field in text.split(","))):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f"'{part}' is no query number: write for example 1,6 or 1-5,12")
        for number in range(int(first), int(last or first) + 1):
            if number not in _ORDER_BY:
                raise ValueError(f"there is no TPC-H query {number}: choose from 1 to 22")
            numbers[number] = None
    if not numbers:
        raise ValueError("no query chosen: write for example 1,6 or 1-5,12")
    return tuple(numbers)
