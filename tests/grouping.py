"""Which tests one worker runs in a row, so that what they share is made once."""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Puts a test into the group of its module, if it names no other."""
    if item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def group_of(item: pytest.Item) -> str:
    """The group of a collected test."""
    marker = item.get_closest_marker("xdist_group")
    assert marker is not None, item.nodeid
    return str(marker.args[0])
