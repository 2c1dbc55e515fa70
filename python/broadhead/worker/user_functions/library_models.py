"""Functions that fit models which take a GPU far less time than a CPU, even for small groups."""

from __future__ import annotations

from types import CodeType
from typing import Any

MODELS = frozenset(
    {
        "DBSCAN",
        "HDBSCAN",
        "KMeans",
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "NearestNeighbors",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "SVC",
        "SVR",
        "TSNE",
        "UMAP",
    }
)
"""Classes of scikit-learn, UMAP and HDBSCAN that cuML has and whose fit reads each row often."""

MODEL_GROUP_ROWS = 10_000
"""Rows of a group from which on cuML fits one of these faster than the CPU."""


def fits_models(function: Any) -> bool:
    """Whether a function, or one that it calls by name, names one of the models."""
    return _fits(function, set())


def _fits(function: Any, seen: set[int]) -> bool:
    code = getattr(function, "__code__", None)
    if code is None or id(code) in seen:
        return False
    seen.add(id(code))
    names = _names(code)
    if not names.isdisjoint(MODELS):
        return True
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    found += [cell.cell_contents for cell in function.__closure__ or ()]
    return any(getattr(each, "__name__", None) in MODELS or _fits(each, seen) for each in found)


def _names(code: CodeType) -> set[str]:
    """The names in the bytecode of a function and of the functions inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names
