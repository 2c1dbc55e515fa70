"""Check that strings are valid UTF-8: files may contain other bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator

from broadhead.errors import EngineLimit
from broadhead.kernels.cudf.physical import INT8, Column, any_true, bounds, constant, test

if TYPE_CHECKING:
    from pylibcudf import DataType

_UINT8 = plc.DataType(TypeId.UINT8)
_MAX_BYTES = (1 << 31) - 1
# The longest character has a first byte and three continuation bytes
_MORE = 3
# The least first bytes of characters of two, three and four bytes, and the first invalid one
_FIRST_OF = (0xC0, 0xE0, 0xF0)
_TOO_LONG = 0xF5
# As int8, the continuation bytes are less than all others
_GOES_ON_BELOW = -64


def all_ascii(data: Column) -> bool:
    """Whether the memory of the strings, which may contain more rows, is ASCII only."""
    characters = data.data()
    if characters is None or characters.size == 0:
        return True
    if characters.size > _MAX_BYTES:
        return False
    # bytes of characters other than ASCII are negative as int8
    return bounds(_view(characters, INT8, 0, characters.size))[0] >= 0


def check_well_formed(data: Column) -> None:
    """Raise `EngineLimit` for invalid UTF-8.

    libcudf decodes such bytes to other characters than Spark does, and reads beyond a string that
    ends in the middle of a character. Checks all memory of the strings.
    """
    if all_ascii(data):
        return
    characters = data.data()
    if characters.size > _MAX_BYTES - 2 * _MORE:
        raise EngineLimit(f"a batch has {characters.size} bytes of strings that are not ASCII")
    padded = _padded(characters)
    goes_on = test(_shifted(padded, INT8, 0), BinaryOperator.LESS, constant(_GOES_ON_BELOW, INT8))
    starts = data.children()[0]
    if (
        _has_bad_byte(_shifted(padded, _UINT8, 0))
        or any_true(test(goes_on, BinaryOperator.NOT_EQUAL, _wanted(padded)))
        or any_true(_at(goes_on, starts))
    ):
        raise EngineLimit("a string is not UTF-8")


def _padded(characters: plc.gpumemoryview) -> Column:
    """The bytes, padded with zeros: each has as many predecessors as a character may have."""
    zeros = plc.Column.from_scalar(constant(0, INT8), _MORE)
    return plc.concatenate.concatenate([zeros, _view(characters, INT8, 0, characters.size), zeros])


def _view(memory: plc.gpumemoryview, data_type: DataType, start: int, count: int) -> Column:
    return plc.Column(data_type, count, memory, None, 0, start, [])


def _shifted(padded: Column, data_type: DataType, back: int) -> Column:
    """For every byte and for the trailing zeros, the byte `back` positions before it."""
    return _view(padded.data(), data_type, _MORE - back, padded.size() - _MORE)


def _wanted(padded: Column) -> Column:
    """Mask of the positions where one of the three bytes before requires a continuation byte."""
    result = None
    for back, first in enumerate(_FIRST_OF, 1):
        before = _shifted(padded, _UINT8, back)
        here = test(before, BinaryOperator.GREATER_EQUAL, constant(first, _UINT8))
        result = here if result is None else test(result, BinaryOperator.LOGICAL_OR, here)
    return result


def _has_bad_byte(data: Column) -> bool:
    """Whether a byte belongs to no character of UTF-8."""
    _, greatest = bounds(data)
    if greatest >= _TOO_LONG:
        return True
    even = plc.binaryop.binary_operation(
        data, constant(0xFE, _UINT8), BinaryOperator.BITWISE_AND, _UINT8
    )
    return any_true(test(even, BinaryOperator.EQUAL, constant(_FIRST_OF[0], _UINT8)))


def _at(goes_on: Column, starts: Column) -> Column:
    """Whether the first byte of a row, or the byte after an empty row, is a continuation byte."""
    (result,) = plc.copying.gather(
        plc.Table([goes_on]), starts, plc.copying.OutOfBoundsPolicy.DONT_CHECK
    ).columns()
    return result
