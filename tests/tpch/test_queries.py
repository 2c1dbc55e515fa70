"""The query texts, and the choice of them by number."""

from __future__ import annotations

import re

import pytest

from broadhead.demo.queries import NUMBERS, TABLES, load_query, parse_numbers


@pytest.mark.parametrize("number", NUMBERS, ids="Q{}".format)
def test_every_query_has_name_text_and_known_tables(number):
    query = load_query(number)
    assert query.name
    assert any(re.search(rf"\b{table}\b", query.sql) for table in TABLES)
    assert (" limit " in query.sql.replace("\n", " ")) == (query.limit is not None)
    assert bool(query.order_by) == bool(re.search(r"^order by$", query.sql, re.MULTILINE))


def test_fraction_of_query_11_follows_the_scale():
    assert "* 0.000100000000" in load_query(11, 1.0).sql
    assert "* 0.000010000000" in load_query(11, 10.0).sql
    assert "* 0.010000000000" in load_query(11, 0.01).sql


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1,6", (1, 6)), ("3-5", (3, 4, 5)), (" 6 , 1,6", (6, 1)), ("1-22", NUMBERS), ("2,", (2,))],
)
def test_numbers_and_ranges(text, numbers):
    assert parse_numbers(text) == numbers


@pytest.mark.parametrize("text", ["", ",", "0", "23", "a", "1-", "-1", "1-99", "5-3", "1.5"])
def test_wrong_numbers_are_named(text):
    with pytest.raises(ValueError, match=r"query"):
        parse_numbers(text)


def test_unknown_query():
    with pytest.raises(ValueError, match="23"):
        load_query(23)
