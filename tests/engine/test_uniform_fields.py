"""CSV lines with quotes around the same fields: where found, the fields are those of other ways."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from broadhead.operators.scan.csv.csv_options import CsvOptions
from broadhead.operators.scan.csv.fields import field_spans, uniform_spans
from broadhead.operators.scan.csv.line_kinds import wrongly_quoted
from broadhead.operators.scan.csv.uniform_fields import UniformFields
from broadhead.operators.scan.text.line_columns import LineColumns, TimeFormats
from broadhead.operators.scan.text.lines import Lines

TEXTS = ("", "x", "yes", "ü" * 40, "a b", " ", "1996-03-13", "#")


def options(fields: int, *, empty_value: str = "") -> CsvOptions:
    return CsvOptions(
        any_line_end=False, multi_line=False, columns=LineColumns(()), fields=fields,
        header=False, separator=",", quote='"', escape="\\", comment=None, null_value="",
        empty_value=empty_value, trims_start=False, trims_end=False, most_fields=20480,
        most_characters=-1, is_parsed=True, every_line_is_a_row=True,
        formats=TimeFormats(None, None, None, None),
    )  # fmt: skip


def changed(random: Random, line: str) -> str:
    """The line with a character more, less, or another one."""
    place = random.randrange(len(line))
    character = random.choice('",\\ x')
    return (
        random.choice((line[:place], line[:place] + character, ""))
        + line[place:][random.choice((0, 1)) :]
    )


def written(random: Random) -> tuple[list[str], int]:
    """Lines with some columns in quotes, most often with separators in the last one alone."""
    fields = random.randint(1, 6)
    quoted = [random.random() < 0.6 for _ in range(fields)]
    inside = [",", ", a", ",,,", *TEXTS]
    lines = []
    for _ in range(random.choice((1, 2, 50))):
        texts = [random.choice(TEXTS) for _ in range(fields)]
        if random.random() < 0.3 and quoted[-1]:
            texts[-1] = random.choice(inside)
        elif random.random() < 0.02:
            texts[random.randrange(fields)] = random.choice(inside)
        lines.append(
            ",".join(
                f'"{t}"' if is_quoted else t for t, is_quoted in zip(texts, quoted, strict=True)
            )
        )
    if random.random() < 0.4:
        place = random.randrange(len(lines))
        lines[place] = changed(random, lines[place] or ",")
    return lines, fields


@pytest.mark.parametrize("part", range(8))
def test_fields_of_uniform_lines(part: int) -> None:
    random, found = Random(part), 0
    for _ in range(120):
        texts, fields = written(random)
        form = options(fields, empty_value=random.choice(("", "", '""')))
        lines = Lines.of("".join(f"{text}\n" for text in texts).encode(), any_line_end=False)
        uniform = UniformFields.of(lines, form)
        if uniform is None:
            continue
        found += 1
        odd = wrongly_quoted(lines, form)
        assert odd is not None
        assert not odd.any(), texts
        positions = range(fields)
        expected = field_spans(lines, positions, form, quoted=True)
        for one, other in zip(uniform_spans(lines, uniform, positions), expected, strict=True):
            np.testing.assert_array_equal(one.starts, other.starts)
            np.testing.assert_array_equal(one.ends, other.ends)
    assert found > 20


def test_separators_in_the_last_field() -> None:
    lines = Lines.of(b'1,"a",2,"b, c"\n22,"",3,""\n', any_line_end=False)
    uniform = UniformFields.of(lines, options(4))
    assert uniform is not None
    texts = [span.strings().to_pylist() for span in uniform_spans(lines, uniform, range(4))]
    assert texts == [["1", "22"], ["a", ""], ["2", "3"], ["b, c", ""]]


@pytest.mark.parametrize(
    "block", [b'1,"a,b"\n2,"c"\n', b'1,a"b\n2,"c"\n', b'"1",a\n2,"b"\n', b'"1",2,3\n"1",2\n'],
    ids=repr,
)  # fmt: skip
def test_other_lines(block: bytes) -> None:
    assert UniformFields.of(Lines.of(block, any_line_end=False), options(3)) is None
