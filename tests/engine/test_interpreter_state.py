"""Settings that functions change are theirs alone."""

from __future__ import annotations

import decimal
import warnings

import numpy as np

from broadhead.worker.user_functions.interpreter_state import InterpreterState


def test_the_engine_keeps_its_settings_and_functions_keep_theirs() -> None:
    errors, precision = np.geterr(), decimal.getcontext().prec
    state = InterpreterState()
    state.to_functions()
    np.seterr(all="raise")
    decimal.setcontext(decimal.Context(prec=3))
    warnings.simplefilter("error")
    state.to_engine()
    assert np.geterr() == errors
    assert decimal.getcontext().prec == precision
    with warnings.catch_warnings(record=True) as seen:
        warnings.warn("of the engine", RuntimeWarning, stacklevel=1)
    assert not seen
    state.to_functions()
    assert set(np.geterr().values()) == {"raise"}
    assert decimal.getcontext().prec == 3
    assert warnings.filters[0][0] == "error"
    state.to_engine()
    assert np.geterr() == errors


def test_nothing_changes_where_functions_change_nothing() -> None:
    errors = np.geterr()
    state = InterpreterState()
    for _ in range(3):
        state.to_functions()
        assert np.geterr() == errors
        state.to_engine()
        assert np.geterr() == errors
