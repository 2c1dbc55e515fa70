"""Upper and lower case of single strings, like Java's Locale.ROOT."""

from __future__ import annotations


def to_upper(text: str) -> str:
    """`String.toUpperCase`: full mappings, like Python's."""
    return text.upper()


def to_lower(text: str) -> str:
    """`String.toLowerCase`: full mappings and the final sigma, like Python's."""
    return text.lower()
