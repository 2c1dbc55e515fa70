"""Numbers in spans of a block, compared with their texts read one at a time."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from broadhead.operators.scan.text.characters import Characters, positions_of
from broadhead.operators.scan.text.numbers import MOST_DIGITS, numbers_of
from broadhead.operators.scan.text.spans import Spans

PLAIN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]{1,8})?")
ODD = st.sampled_from(["01", "", "-", "x1", "1.", "+1", ".5", "1.2.3", "null", "-00.10", "1" * 17])


def numbers(fraction: int) -> st.SearchStrategy[list[str]]:
    """Texts of numbers with so many digits after the point, and sometimes other texts."""
    whole = st.integers(-(10**12), 10**12).map(str)
    digits = st.text("0123456789", min_size=fraction, max_size=fraction)
    plain = st.tuples(whole, digits).map(lambda parts: ".".join(part for part in parts if part))
    same = st.lists(plain, min_size=1, max_size=8)
    return same | st.lists(plain | ODD, min_size=1, max_size=8)


@given(texts=st.sampled_from([0, 1, 2, 7, 8]).flatmap(numbers))
def test_plain_numbers_are_those_of_their_texts(texts: list[str]) -> None:
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    starts = ends - [len(text) for text in texts]
    found = numbers_of(Spans(Characters(",".join(texts).encode()), starts, ends))
    fractions = np.broadcast_to(found.fractions, len(texts)).tolist()
    all_plain = np.full(len(texts), found.plain is None)
    values = zip(
        texts,
        all_plain if found.plain is None else found.plain,
        found.unscaled().tolist(),
        fractions,
        strict=True,
    )
    for text, plain, unscaled, fraction in values:
        few = sum(map(str.isdigit, text)) <= MOST_DIGITS
        assert plain == (bool(PLAIN.fullmatch(text)) and few)
        assert not plain or Decimal(unscaled).scaleb(-fraction) == Decimal(text)


@given(st.lists(st.booleans(), max_size=80))
def test_positions_are_those_of_the_mask(mask: list[bool]) -> None:
    found = positions_of(np.array(mask, bool))
    assert found.tolist() == [number for number, chosen in enumerate(mask) if chosen]
